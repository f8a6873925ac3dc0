#include "core/script/spelling.h"

#include <array>
#include <optional>

namespace rx::script {

namespace {

/// What stands before and behind a word that tells an era.
enum class Before : uint8_t { Any, Free, Colon, BehindT, BehindR, BehindRelax, BehindTirx, BoundRelax };
enum class After : uint8_t { Any, Assign, LParen, LBracket };

/// What a word tells. Eras from v0.24 on are told by their youngest word, older ones by their oldest.
struct Word {
  std::string_view text;
  Before before;
  After after;
  Era era;
};
constexpr Word kWords[] = {
    {"out_ty", Before::Any, After::Assign, Era::V027},
    {"Any", Before::BehindR, After::Any, Era::V027},
    {"ty_args", Before::Any, After::Assign, Era::V027},
    {"s_tir", Before::Any, After::Assign, Era::V025},
    {"let", Before::BehindT, After::LBracket, Era::V025},
    {"layout", Before::BehindTirx, After::Any, Era::V025},
    {"sblock", Before::BehindT, After::Any, Era::V024},
    {"sblock_attr", Before::BehindT, After::Any, Era::V024},
    {"sblock_alloc_buffer", Before::BehindT, After::Any, Era::V024},
    {"Tensor", Before::Free, After::LBracket, Era::Rfc2022},
    {"match_shape", Before::BehindRelax, After::Any, Era::Rfc2022},
    {"type_args", Before::Any, After::Assign, Era::Mid2022},
    {"Tensor", Before::Colon, After::LParen, Era::Mid2022},
    {"call_tir", Before::BoundRelax, After::Any, Era::Mid2022},
    {"match_shape", Before::BehindR, After::Any, Era::Late2022},
    {"var", Before::BehindT, After::LParen, Era::Late2022},
    {"block", Before::BehindT, After::LParen, Era::V016},
    {"block_attr", Before::BehindT, After::Any, Era::V016},
    {"allocate", Before::BehindT, After::LParen, Era::V016},
    {"allocate_const", Before::BehindT, After::LParen, Era::V016},
    {"LetStmt", Before::BehindT, After::LParen, Era::V016},
    {"realize", Before::BehindT, After::LParen, Era::V016},
};

/// Words of the time since effects are tracked. `cls.f` is some months older, and so in texts of either time.
constexpr std::string_view kPurity[] = {"pure", "private", "call_pure_packed", "call_inplace_packed",
                                        "call_tir_inplace"};

class Speller {
 public:
  Speller(std::string_view text, const OutlineUnit& unit, const Imports& imports, Names& names)
      : text_(text), imports_(imports), names_(names), lexer_(text, unit.begin, unit.end, 0, names) {
    first_ = static_cast<NameId>(names.size());
    for (const Word& word : kWords) names.intern(word.text);
    for (std::string_view word : kPurity) names.intern(word);
    for (std::string_view word : {"prim_func", "alloc_buffer"}) names.intern(word);
    last_ = static_cast<NameId>(names.size());
  }

  Spelling spelling() {
    if (imports_.tirxLayout) younger(Era::V025);
    if (imports_.tirx) younger(Era::V024);
    if (imports_.tir) older(Era::V016);
    while (true) {
      window_ = {window_[1], window_[2], window_[3], window_[4], lexer_.next()};
      if (window_[3].kind == Tok::Name) word();
      if (window_[3].kind == Tok::String) literal();
      if (window_[4].kind == Tok::End) break;
    }
    Spelling out;
    out.saysSTir = saysSTir_;
    out.certain = young_ || old_;
    // Without s_tir a function of v0.25 would be of the tile level: a plain one is older.
    out.era = young_ ? *young_ : old_ ? *old_ : kernel_ && allocates_ ? Era::V016 : Era::V025;
    out.beforePurity = !purity_ && (out.era < Era::V016 || (out.era == Era::V016 && out.certain));
    return out;
  }

 private:
  void younger(Era era) { young_ = young_ ? std::max(*young_, era) : era; }
  void older(Era era) { old_ = old_ ? std::min(*old_, era) : era; }
  void tells(Era era) { era >= Era::V024 ? younger(era) : older(era); }

  bool isName(const Token& token, std::string_view name) const {
    return token.kind == Tok::Name && names_.text(token.name) == name;
  }
  bool isDialect(const Token& token, std::string_view name) const {
    return token.kind == Tok::Name && imports_.dialectOf(names_.text(token.name)) == name;
  }
  /// The token in the middle is window_[3]: three before it, one behind.
  bool stands(Before before) const {
    const bool behindDot = window_[2].kind == Tok::Dot;
    switch (before) {
      case Before::Any:
        return true;
      case Before::Free:
        return !behindDot;
      case Before::Colon:
        return window_[2].kind == Tok::Colon;
      case Before::BehindT:
        return behindDot && isDialect(window_[1], "T");
      case Before::BehindR:
        return behindDot && isDialect(window_[1], "R");
      case Before::BehindRelax:
        return behindDot && isName(window_[1], "relax");
      case Before::BehindTirx:
        return behindDot && isName(window_[1], "tirx");
      case Before::BoundRelax:
        return behindDot && isName(window_[1], "relax") && window_[0].kind == Tok::Assign;
    }
    return false;
  }
  bool stands(After after) const {
    static constexpr Tok kKinds[] = {Tok::Invalid, Tok::Assign, Tok::LParen, Tok::LBracket};
    return after == After::Any || window_[4].kind == kKinds[static_cast<size_t>(after)];
  }

  void word() {
    const NameId name = window_[3].name;
    if (name < first_ || name >= last_) return;
    const std::string_view text = names_.text(name);
    for (const Word& row : kWords) {
      if (row.text == text && stands(row.before) && stands(row.after)) tells(row.era);
    }
    saysSTir_ = saysSTir_ || (text == "s_tir" && window_[4].kind == Tok::Assign);
    if (stands(Before::BehindT)) {
      kernel_ = kernel_ || text == "prim_func";
      allocates_ = allocates_ || text == "alloc_buffer";
    }
    for (std::string_view known : kPurity) purity_ = purity_ || (text == known && window_[4].kind != Tok::LBracket);
  }

  /// Keys of attributes.
  void literal() {
    const std::string_view text = text_.substr(window_[3].begin, window_[3].end - window_[3].begin);
    if (text.size() < 2) return;
    const std::string_view key = text.substr(1);
    if (key.starts_with("tirx.")) younger(Era::V024);
    if (key.starts_with("tir.")) older(Era::V016);
    if (key.starts_with("relax.force_pure")) purity_ = true;
  }

  std::string_view text_;
  const Imports& imports_;
  Names& names_;
  Lexer lexer_;
  NameId first_ = 0, last_ = 0;
  std::array<Token, 5> window_;
  std::optional<Era> young_, old_;
  bool saysSTir_ = false, kernel_ = false, allocates_ = false, purity_ = false;
};

}  // namespace

Spelling spellingOf(std::string_view text, const OutlineUnit& unit, const Imports& imports, Names& names) {
  return Speller(text, unit, imports, names).spelling();
}

}  // namespace rx::script
