#include "policy/rules/patch_intents.h"

namespace berth {

std::vector<Intent> intents_of(const Patch& patch, PatchUse use) {
  std::vector<Intent> intents;
  const auto add = [&](Operation operation, const Path& path, Leaf leaf) {
    intents.push_back(
        {.operation = use == PatchUse::look ? Operation::read : operation, .path = path.text(), .leaf = leaf});
  };
  for (const auto& operation : patch.operations) {
    switch (operation.kind) {
      case PatchOperation::Kind::create: add(Operation::write, operation.path, Leaf::itself); break;
      case PatchOperation::Kind::update: add(Operation::edit, operation.path, Leaf::followed); break;
      case PatchOperation::Kind::remove: add(Operation::write, operation.path, Leaf::itself); break;
      case PatchOperation::Kind::move:
        add(Operation::write, operation.path, Leaf::itself);
        add(Operation::write, operation.to, Leaf::itself);
        break;
      case PatchOperation::Kind::copy:
        add(Operation::read, operation.path, Leaf::followed);
        add(Operation::write, operation.to, Leaf::itself);
        break;
    }
  }
  return intents;
}

}  // namespace berth
