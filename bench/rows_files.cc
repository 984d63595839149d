#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "bench/raw.h"
#include "bench/rows.h"
#include "bench/tree.h"

namespace berth::bench {

std::vector<Row> file_rows() {
  const Scratch scratch;
  const auto workspace = open_workspace(scratch.path());
  const std::string content(4096, 'x');
  const Call call;
  require(workspace->write(call, "d/file", content).has_value(), "write");
  require(workspace->write(call, "d/raw", content).has_value(), "write");
  // A file that was just written is read twice and hashed each time, until its timestamps can tell a change.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const int root = ::open(scratch.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  char buffer[4096];

  const ReadRange plain{.offset = 0, .max_bytes = {}, .want_revision = WantRevision::no};
  const auto reads = measure({{"raw", [&] { raw_read(root, "d/file", buffer, sizeof buffer); }},
                              {"read", [&] { require(workspace->read(call, "d/file", plain).has_value(), "read"); }},
                              {"revision", [&] { require(workspace->read(call, "d/file").has_value(), "read"); }}},
                             {.rounds = 61, .batch = 500});
  const auto writes =
      measure({{"raw", [&] { raw_atomic_write(root, "d", "raw", content); }},
               {"write", [&] { require(workspace->write(call, "d/file", content).has_value(), "write"); }}},
              {.rounds = 61, .batch = 100});
  ::close(root);
  const auto us = [](double ns) { return ns / 1e3; };
  return {
      {"read 4 KiB", us(reads[1]), "µs", "openat2 + fstat + read + close", us(reads[0]), {.ratio = 1.3, .limit = {}}},
      {"read 4 KiB with its cached revision",
       us(reads[2]),
       "µs",
       "openat2 + fstat + read + close",
       us(reads[0]),
       {.ratio = 1.6, .limit = {}}},
      {"write 4 KiB atomically",
       us(writes[1]),
       "µs",
       "the system calls it needs",
       us(writes[0]),
       {.ratio = 1.3, .limit = {}}},
  };
}

}  // namespace berth::bench
