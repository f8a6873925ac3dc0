// What a text uses of the prelude becomes part of its module.
#include <algorithm>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/relay/prelude.h"
#include "core/relay/reader.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

using Names = std::unordered_set<std::string_view>;

/// The constructors of a type whose name stands at `i`.
void addConstructors(const std::vector<Token>& tokens, std::string_view text, size_t i, Names& names) {
  while (i < tokens.size() && tokens[i].kind != Tok::LBrace && tokens[i].kind != Tok::Semicolon &&
         tokens[i].kind != Tok::End) {
    ++i;
  }
  int depth = 0;
  for (bool starts = false; i < tokens.size(); ++i) {
    const Tok kind = tokens[i].kind;
    if (starts && depth == 1 && kind == Tok::Name)
      names.insert(text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin));
    starts = kind == Tok::LBrace || kind == Tok::Comma;
    if (kind == Tok::LBrace || kind == Tok::LParen || kind == Tok::LBracket) ++depth;
    if (kind == Tok::RBrace || kind == Tok::RParen || kind == Tok::RBracket) --depth;
    if (depth == 0) return;
  }
}

/// Names that tokens define: types and constructors as they are, functions with their @.
Names definedNames(const std::vector<Token>& tokens, std::string_view text) {
  Names names;
  auto word = [&](const Token& token) { return text.substr(token.begin, token.end - token.begin); };
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind != Tok::Name) continue;
    const std::string_view what = word(tokens[i]);
    if (what == "def" && tokens[i + 1].kind == Tok::Global) names.insert(word(tokens[i + 1]));
    if (what != "type" || tokens[i + 1].kind != Tok::Name) continue;
    names.insert(word(tokens[i + 1]));
    addConstructors(tokens, text, i + 2, names);
  }
  return names;
}

bool isFunctionName(std::string_view name) { return name.starts_with('@'); }

}  // namespace

bool Reader::wantsPrelude(const std::vector<Token>& prelude) const {
  const std::string_view text = preludeSource()->text();
  const auto offered = definedNames(prelude, text), own = definedNames(tokens_, text_);
  bool uses = false;
  for (std::string_view name : offered) {
    if (!isFunctionName(name) && own.contains(name)) return false;  // the text brings its own
  }
  for (const Token& token : tokens_) {
    if (token.kind != Tok::Name && token.kind != Tok::Global) continue;
    const std::string_view name = textOf(token);
    // None is a value of attributes too, and says nothing without Some.
    const bool looks = isFunctionName(name) || (name.front() >= 'A' && name.front() <= 'Z' && name != "None");
    uses = uses || (looks && offered.contains(name) && !own.contains(name));
  }
  return uses;
}

void Reader::readPrelude() {
  std::vector<Diagnostic> none;
  Tokens cut = tokenize(preludeSource()->text(), 0, none);
  if (!wantsPrelude(cut.tokens)) return;
  const auto own = definedNames(tokens_, text_);
  auto change = [&, text = preludeSource()->text(), stated = decltype(stated_)(), at = size_t{0},
                 file = uint32_t{1}]() mutable {
    std::swap(text_, text);
    std::swap(tokens_, cut.tokens);
    std::swap(stated_, stated);
    std::swap(at_, at);
    std::swap(file_, file);
  };
  change();
  while (!at(Tok::End)) {
    if (atWord("def") && own.contains(textOf(peek(1)))) {
      ++at_;
      recover();  // the text has its own function of that name
    } else {
      definition();
    }
  }
  change();
  preludeFunctions_ = functions_.size();
  preludeTypes_ = types_.size();
}

void Reader::dropUnusedPrelude() {
  if (preludeTypes_ == 0) return;
  std::unordered_map<std::string_view, size_t> indexOf;
  for (size_t i = 0; i < functions_.size(); ++i) indexOf.emplace(functions_[i].first->name.view(), i);
  std::vector<size_t> reached;
  std::vector<uint8_t> isReached(functions_.size());
  for (size_t i = preludeFunctions_; i < functions_.size(); ++i) reached.push_back(i);
  bool usesTypes = false;
  for (size_t next = 0; next < reached.size(); ++next) {
    isReached[reached[next]] = 1;
    walkOnce(*functions_[reached[next]].second, Into::All, [&](const Node& node) {
      usesTypes = usesTypes || isa<GlobalTypeVar>(&node);
      const auto* global = as<relax::GlobalVar>(&node);
      const auto hit = global ? indexOf.find(global->name.view()) : indexOf.end();
      if (hit != indexOf.end() && !std::exchange(isReached[hit->second], 1)) reached.push_back(hit->second);
      return true;
    });
  }
  std::vector<std::pair<relax::GlobalVarRef, ir::BaseFunc>> kept;
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (isReached[i]) kept.push_back(functions_[i]);
  }
  functions_ = std::move(kept);
  if (!usesTypes) types_.erase(types_.begin(), types_.begin() + static_cast<ptrdiff_t>(preludeTypes_));
}

}  // namespace rx::relay
