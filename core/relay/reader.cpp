#include "core/relay/reader.h"

#include <algorithm>
#include <charconv>

#include "core/relay/infer.h"
#include "core/relay/prelude.h"
#include "core/support/nearest.h"

namespace rx::relay {

namespace {

constexpr std::string_view kVersion = "0.0.5";
/// Of 0.5 and 0.6, and what was between; the forms of one text are those of the others.
constexpr std::string_view kOldVersions[] = {"v0.0.1", "v0.0.2", "v0.0.3", "v0.0.4"};

/// Whether a text is laid out as printers do: the header first, a definition on the next line, two blanks before the
/// first line inside.
bool looksPrinted(std::string_view text) {
  if (!text.starts_with("#[version")) return false;
  size_t at = text.find('\n');
  for (bool first = true; at < text.size(); first = false) {
    const std::string_view line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (first && (indent > 0 || line.empty())) return false;
    if (indent > 0) return indent == 2;
    at = text.find('\n', at + 1);
  }
  return true;
}

}  // namespace

bool looksLikeRelay(std::string_view text) {
  std::vector<Diagnostic> ignored;
  const std::vector<Token> tokens = firstTokens(text, 3, ignored);
  auto word = [&](size_t i) { return text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin); };
  switch (tokens.front().kind) {
    case Tok::Version:
    case Tok::Local:
    case Tok::Graph:
      return true;
    case Tok::Name:
      break;
    default:
      return false;
  }
  const std::string_view first = word(0);
  if (tokens[1].kind == Tok::End) return false;
  if (first == "def") return tokens[1].kind == Tok::Global;
  if (first == "type" || first == "extern") return tokens[1].kind == Tok::Name;
  return first == "fn" || first == "free_var" || (first == "let" && tokens[1].kind == Tok::Local);
}

Result<ReadText> readText(const Ref<SourceFile>& source, const CancelToken& cancel, uint32_t file) {
  return Reader(source, cancel, file).run();
}

Reader::Reader(const Ref<SourceFile>& source, const CancelToken& cancel, uint32_t file)
    : source_(source), text_(source->text()), cancel_(cancel), file_(file), isPrinted_(looksPrinted(text_)) {
  Tokens cut = tokenize(text_, file, diagnostics_);
  tokens_ = std::move(cut.tokens);
  stated_.insert(cut.types.begin(), cut.types.end());
  const size_t count = tokens_.size();
  if (count > 1 && tokens_[count - 2].kind == Tok::Metadata) {
    const uint32_t begin = tokens_[count - 2].begin;
    for (std::string_view head : kMetadataHeads)
      if (text_.substr(begin).starts_with(head)) metadataBegin_ = begin + static_cast<uint32_t>(head.size());
    metadataText_ = text_.substr(metadataBegin_);
    tokens_.erase(tokens_.end() - 2);
  }
}

Result<ReadText> Reader::run() {
  if (hasErrors(diagnostics_)) return fail(std::move(diagnostics_));
  if (at(Tok::Version)) {
    const std::string_view version = textOf(peek());
    isOldText_ = std::ranges::find(kOldVersions, version) != std::end(kOldVersions);
    if (version.find(kVersion) == std::string_view::npos && !isOldText_) {
      error(spanOf(peek()), "relay.version", "the text is of another version; " + std::string(kVersion) + " is read");
    }
    take(Tok::Version);
  }
  const bool isModule =
      atWord("def") || atWord("extern") || (atWord("type") && peek(1).kind == Tok::Name) || at(Tok::End);
  ir::Module made = failed_ ? nullptr : isModule ? module() : loneExpression();
  if (hasErrors(diagnostics_)) return fail(std::move(diagnostics_));
  // What a person leaves undeclared is declared, where it can be inferred, as TVM's reader does. What a program printed
  // says what the module was, and stays that.
  if (!isModule) return ReadText{std::move(made), std::move(diagnostics_)};
  graph_ = {};  // what nothing else holds is met once
  static_cast<void>(inferTypesInPlace(made, cancel_, isPrinted_ ? Declare::No : Declare::Yes));
  return ReadText{std::move(made), std::move(diagnostics_)};
}

const Token& Reader::peek(size_t ahead) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

bool Reader::atWord(std::string_view word, size_t ahead) const {
  return peek(ahead).kind == Tok::Name && textOf(peek(ahead)) == word;
}

bool Reader::take(Tok kind) {
  if (failed_ || !at(kind)) return false;
  if (kind != Tok::End) ++at_;
  return true;
}

bool Reader::takeWord(std::string_view word) { return !failed_ && atWord(word) && take(Tok::Name); }

bool Reader::expect(Tok kind, const char* what) {
  if (take(kind)) return true;
  unexpected(what);
  return false;
}

Span Reader::spanFrom(uint32_t begin) const {
  return {begin, std::max(begin, tokens_[at_ > 0 ? at_ - 1 : 0].end), file_};
}

std::nullptr_t Reader::error(Span span, std::string rule, std::string message, std::string fix) {
  if (failed_) return nullptr;  // what follows from an error says nothing new
  failed_ = true;
  diagnostics_.push_back(errorAt(span, std::move(rule), std::move(message)));
  diagnostics_.back().fix = std::move(fix);
  return nullptr;
}

void Reader::finding(Span span, std::string rule, std::string message, std::string fix) {
  constexpr size_t kMost = 100;
  if (failed_) return;
  error(span, std::move(rule), std::move(message), std::move(fix));
  failed_ = diagnostics_.size() >= kMost;
}

Expr Reader::unknownName(std::string_view name, Span span, std::string rule, std::string message, std::string fix) {
  if (unknown_.insert(name).second) finding(span, std::move(rule), std::move(message), std::move(fix));
  return failed_ ? nullptr : placed(new Var(Str(name), nullptr), span.begin);
}

std::nullptr_t Reader::redefined(Span again, Span first, std::string message) {
  if (failed_) return nullptr;
  error(again, "relay.redefined", std::move(message));
  diagnostics_.back().notes.push_back({"the first is here", first});
  return nullptr;
}

std::optional<int64_t> Reader::wholeNumber(const std::string& digits, Span place, const char* rule) {
  int64_t number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc::result_out_of_range)
    return number;
  error(place, rule, digits + " does not fit int64");
  return std::nullopt;
}

std::nullptr_t Reader::unexpected(const char* wanted) {
  if (failed_) return nullptr;
  const std::string found = at(Tok::End) ? "the text ends" : "'" + std::string(textOf(peek())) + "'";
  return error(spanOf(peek()), "relay.syntax", "expected " + std::string(wanted) + ", found " + found);
}

void Reader::recover() {
  while (!at(Tok::End) && !(atWord("def") && peek(1).kind == Tok::Global) &&
         !(atWord("type") && peek(1).kind == Tok::Name)) {
    ++at_;
  }
  failed_ = false;
  depth_ = 0;
  unbind(0);
  typeVars_.clear();
}

void Reader::bind(const NamedVar& named) {
  bound_.push_back({named.name, std::exchange(locals_[named.name], Local{named.var, bound_.size()})});
}

void Reader::unbind(size_t mark) {
  while (bound_.size() > mark) {
    locals_[bound_.back().name] = std::move(bound_.back().before);
    bound_.pop_back();
  }
}

ir::Module Reader::module() {
  readPrelude();
  while (!at(Tok::End)) {
    if (cancel_.cancelled()) return error({}, "relay.cancelled", "reading was cancelled");
    definition();
    if (failed_) recover();
  }
  dropUnusedPrelude();
  SourceList sources{source_};
  if (preludeTypes_ > 0) sources.push_back(preludeSource());
  std::sort(types_.begin(), types_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  auto* made = new ir::IRModule(std::move(functions_), nullptr, nullptr, std::move(sources));
  const ir::Module owner(made);
  if (!types_.empty()) made->types = make<ir::DictAttrs>(types_);
  made->facts.missingConstants = missing_;
  return owner;
}

void Reader::definition() {
  const uint32_t begin = here();
  if (takeWord("type")) return typeDefinition(false);
  if (takeWord("extern")) {
    if (!takeWord("type")) return void(unexpected("'type'"));
    return typeDefinition(true);
  }
  if (!takeWord("def")) return void(unexpected("'def' or 'type'"));
  const Token name = peek();
  if (!expect(Tok::Global, "the name of a function, as @main")) return;
  ++functionNumber_;
  unknown_.clear();
  FunctionRef made = function(begin);
  if (failed_ || !made) return;
  relax::GlobalVarRef var = globalVar(name);
  const auto [first, isNew] = definedAt_.try_emplace(textOf(name), spanOf(name));
  if (!isNew) return void(redefined(spanOf(name), first->second, "a second function " + std::string(textOf(name))));
  functions_.emplace_back(var, made);
}

relax::GlobalVarRef Reader::globalVar(const Token& token) {
  const std::string_view name = textOf(token).substr(1);
  relax::GlobalVarRef& var = globals_[name];
  if (!var) {
    auto* made = new relax::GlobalVar(Str(name));
    made->span = spanOf(token);
    var = relax::GlobalVarRef(made);
  }
  return var;
}

std::vector<Ref<TypeVar>> Reader::typeParameters() {
  std::vector<Ref<TypeVar>> vars;
  std::unordered_map<std::string_view, Span> statedAt;
  auto parameter = [&] {
    const Token name = peek();
    if (!expect(Tok::Name, "the name of a type")) return;
    const auto [first, isNew] = statedAt.try_emplace(textOf(name), spanOf(name));
    if (!isNew) {
      return void(redefined(spanOf(name), first->second, "a second type variable " + std::string(textOf(name))));
    }
    vars.push_back(make<TypeVar>(Str(textOf(name))));
    typeVars_.emplace_back(textOf(name), vars.back());
  };
  if (at(Tok::LBracket)) list(Tok::LBracket, Tok::RBracket, "'['", parameter);
  return vars;
}

void Reader::typeDefinition(bool isExtern) {
  const Token name = peek();
  if (!expect(Tok::Name, "the name of a type")) return;
  Ref<GlobalTypeVar>& header = typeNames_[textOf(name)];
  if (!header) header = make<GlobalTypeVar>(Str(textOf(name)));
  const Ref<GlobalTypeVar> type = header;
  const auto [first, isNew] = definedAt_.try_emplace(textOf(name), spanOf(name));
  if (!isNew) return void(redefined(spanOf(name), first->second, "a second type " + std::string(textOf(name))));
  std::vector<Ref<TypeVar>> vars = typeParameters();
  std::vector<Ref<Constructor>> constructors;
  auto constructor = [&] {
    const Token token = peek();
    // Defunctionalization numbers the constructors that it makes.
    if (!take(Tok::Number) && !expect(Tok::Name, "the name of a constructor")) return;
    std::vector<Type> inputs;
    if (at(Tok::LParen)) list(Tok::LParen, Tok::RParen, "'('", [&] { inputs.push_back(this->type()); });
    auto* fresh = new Constructor(Str(textOf(token)), Array<Type>(std::move(inputs)), type);
    fresh->span = spanOf(token);
    Ref<Constructor> made(fresh);
    const auto [first, isNew] = constructors_.emplace(textOf(token), made);
    if (!isNew) redefined(spanOf(token), first->second->span, "a second constructor " + std::string(textOf(token)));
    constructors.push_back(std::move(made));
  };
  if (at(Tok::LBrace)) list(Tok::LBrace, Tok::RBrace, "'{'", constructor);
  take(Tok::Semicolon);
  typeVars_.clear();
  if (failed_) return;
  types_.emplace_back(Str(textOf(name)), make<TypeData>(type, Array<Ref<TypeVar>>(std::move(vars)),
                                                        Array<Ref<Constructor>>(std::move(constructors)), isExtern));
}

ir::Module Reader::loneExpression() {
  readPrelude();
  Expr body = sequence();
  if (!failed_ && !at(Tok::End)) unexpected("the end of the expression");
  if (failed_) return nullptr;
  auto* function = new Function({}, body, nullptr, {}, ir::withAttr(nullptr, kLoneExpression, ir::boolAttr(true)));
  function->span = body->span;
  functions_ = {{make<relax::GlobalVar>("main"), FunctionRef(function)}};  // of the prelude its types alone
  preludeFunctions_ = 0;
  dropUnusedPrelude();
  auto* made = new ir::IRModule(std::move(functions_), nullptr, nullptr, {source_, preludeSource()});
  if (!types_.empty()) made->types = make<ir::DictAttrs>(types_);
  made->facts.missingConstants = missing_;
  return ir::Module(made);
}

}  // namespace rx::relay
