#include "bench/harness.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace berth::bench {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  return text;
}

std::string target_text(const Row& row) {
  if (row.target.ratio) return "<= " + number(*row.target.ratio) + " x";
  if (row.target.limit) return "< " + number(*row.target.limit) + " " + row.unit;
  return "";
}

/// Strings here are our own row names: only what JSON cannot hold as it is.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::vector<double> measure(const std::vector<Contender>& contenders, Effort effort) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> times(contenders.size());
  for (int round = 0; round <= effort.rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const auto begin = Clock::now();
      for (int call = 0; call < effort.batch; ++call) contenders[i].once();
      const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
      if (round > 0) times[i].push_back(taken.count() / effort.batch);
    }
  }
  std::vector<double> medians;
  for (auto& of_one : times) medians.push_back(median(std::move(of_one)));
  return medians;
}

std::optional<bool> is_met(const Row& row) {
  if (row.target.ratio && row.floor) return row.value <= *row.target.ratio * *row.floor;
  if (row.target.limit) return row.value < *row.target.limit;
  return std::nullopt;
}

void print_table(const std::vector<Row>& rows) {
  std::printf("| what | measured | beside | its figure | ratio | target | |\n|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    const auto met = is_met(row);
    std::printf("| %s | %s %s | %s | %s | %s | %s | %s |\n", row.what.c_str(), number(row.value).c_str(),
                row.unit.c_str(), row.against.c_str(), row.floor ? (number(*row.floor) + " " + row.unit).c_str() : "",
                row.floor ? number(row.value / *row.floor).c_str() : "", target_text(row).c_str(),
                !met   ? ""
                : *met ? "ok"
                       : "miss");
  }
}

void write_json(const std::vector<Row>& rows, const std::string& file) {
  std::FILE* out = std::fopen(file.c_str(), "we");
  require(out != nullptr, file);
  std::fprintf(out, "[\n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    std::fprintf(out, "  {\"what\": %s, \"value\": %.6g, \"unit\": %s, \"against\": %s", quoted(row.what).c_str(),
                 row.value, quoted(row.unit).c_str(), quoted(row.against).c_str());
    if (row.floor) std::fprintf(out, ", \"floor\": %.6g, \"ratio\": %.4g", *row.floor, row.value / *row.floor);
    if (row.target.ratio) std::fprintf(out, ", \"target_ratio\": %.4g", *row.target.ratio);
    if (row.target.limit) std::fprintf(out, ", \"target_limit\": %.4g", *row.target.limit);
    if (const auto met = is_met(row)) std::fprintf(out, ", \"met\": %s", *met ? "true" : "false");
    std::fprintf(out, "}%s\n", i + 1 < rows.size() ? "," : "");
  }
  std::fprintf(out, "]\n");
  std::fclose(out);
}

void require(bool done, const std::string& what) {
  if (done) return;
  std::perror(what.c_str());
  std::exit(1);
}

}  // namespace berth::bench
