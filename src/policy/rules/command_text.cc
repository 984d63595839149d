#include "policy/rules/command_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace berth {
namespace {

constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
constexpr std::string_view kBlankOrQuote = " \t\n\r\v\f'\"";
constexpr std::string_view kDivides = " \t\n\r\v\f;|&<>()`";
constexpr std::array<std::string_view, 6> kShells{"sh", "bash", "dash", "zsh", "ksh", "ash"};

std::string quoted(std::string_view word) {
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text += '\'';
}

std::vector<std::string> split_at(std::string_view text, std::string_view dividers) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(dividers, at)) != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(dividers, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// As a shell divides words, without expanding anything; nothing when a quote is not closed.
std::optional<std::vector<std::string>> split_as_shell(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\'') {
      const auto close = text.find('\'', at + 1);
      if (close == std::string_view::npos) return std::nullopt;
      word += text.substr(at + 1, close - at - 1);
      at = close;
      begun = true;
    } else if (c == '"') {
      begun = true;
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size() &&
            std::string_view("\"\\$`").find(text[at + 1]) != std::string_view::npos) {
          ++at;
        }
        word += text[at];
      }
      if (at == text.size()) return std::nullopt;
    } else if (c == '\\' && at + 1 < text.size()) {
      if (text[++at] != '\n') word += text[at];
      begun = true;
    } else if (kDivides.find(c) != std::string_view::npos) {
      if (begun) words.push_back(std::move(word));
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> words_of_script(std::string_view script) {
  if (auto words = split_as_shell(script)) return *std::move(words);
  return split_at(script, kBlankOrQuote);
}

/// What a shell among the words is given to run; nothing when none is.
std::optional<std::string> inner_script(const CommandSpec& spec) {
  if (spec.argv.size() < 3) return std::nullopt;
  const auto& program = spec.argv.front();
  const auto name = std::string_view(program).substr(program.rfind('/') + 1);
  if (std::ranges::find(kShells, name) == kShells.end()) return std::nullopt;
  for (std::size_t i = 1; i + 1 < spec.argv.size() && spec.argv[i].starts_with('-'); ++i) {
    if (!spec.argv[i].starts_with("--") && spec.argv[i].ends_with('c')) return spec.argv[i + 1];
  }
  return std::nullopt;
}

}  // namespace

std::string command_text(const CommandSpec& spec) {
  if (spec.argv.empty()) return spec.script;
  std::string text;
  for (const auto& word : spec.argv) {
    if (!text.empty()) text += ' ';
    text += quoted(word);
  }
  return text;
}

std::vector<std::string> command_texts(const CommandSpec& spec) {
  std::vector<std::string> texts{command_text(spec)};
  if (auto inner = inner_script(spec)) texts.push_back(*std::move(inner));
  return texts;
}

std::vector<std::string> command_words(const CommandSpec& spec) {
  std::vector<std::string> words = spec.argv.empty() ? words_of_script(spec.script) : spec.argv;
  if (const auto inner = inner_script(spec)) {
    for (auto& word : words_of_script(*inner)) words.push_back(std::move(word));
  }
  const std::size_t count = words.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto equals = words[i].find('=');
    if (equals != std::string::npos && equals + 1 < words[i].size()) words.push_back(words[i].substr(equals + 1));
  }
  return words;
}

}  // namespace berth
