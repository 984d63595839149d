#include "surface/cli/json_internal.h"

namespace berth::cli {

void print_json(Session& session, const Json& object) {
  session.console.out(object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace berth::cli
