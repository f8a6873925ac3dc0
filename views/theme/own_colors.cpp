#include "views/theme/own_colors.h"

#include <algorithm>
#include <utility>

#include "views/theme/kind_family.h"

namespace rx {
namespace {

struct Named {
  const char* id;
  const char* title;
  QColor Palette::*color;
};
struct Group {
  const char* title;
  std::vector<Named> colors;
};

const std::vector<Group>& groups() {
  using P = Palette;
  static const std::vector<Group> all = {
      {"Grounds",
       {{"window", "behind the panels", &P::window},
        {"panel", "bars", &P::panel},
        {"base", "content of panels", &P::base},
        {"raised", "buttons, cards", &P::raised},
        {"border", "lines", &P::border},
        {"hover", "under the pointer", &P::hover}}},
      {"Words",
       {{"text", "text", &P::text},
        {"grey", "grey text", &P::grey},
        {"accent", "accent", &P::accent},
        {"onAccent", "text on the accent", &P::onAccent},
        {"link", "link", &P::link}}},
      {"Selection",
       {{"selection", "selected", &P::selection},
        {"selectionText", "text of what is selected", &P::selectionText},
        {"use", "use of what is selected", &P::use}}},
      {"Text of the IR",
       {{"keyword", "keyword", &P::keyword},
        {"type", "type", &P::type},
        {"string", "string", &P::string},
        {"number", "number", &P::number},
        {"comment", "comment", &P::comment},
        {"callee", "callee", &P::callee},
        {"decorator", "decorator", &P::decorator}}},
      {"Lines of the IR",
       {{"currentLine", "runs next", &P::currentLine},
        {"caretLine", "line of the caret", &P::caretLine},
        {"dataflow", "dataflow block", &P::dataflow},
        {"dataflowEdge", "edge of a dataflow block", &P::dataflowEdge},
        {"lineNumber", "line number", &P::lineNumber},
        {"foldGuide", "guide of a fold", &P::foldGuide}}},
      {"States",
       {{"error", "error", &P::error},
        {"errorFill", "under errors", &P::errorFill},
        {"warning", "warning", &P::warning},
        {"warningFill", "under warnings", &P::warningFill},
        {"note", "note", &P::note},
        {"good", "good", &P::good},
        {"goodFill", "under what is good", &P::goodFill},
        {"breakpoint", "breakpoint", &P::breakpoint},
        {"breakpointOff", "breakpoint that is off", &P::breakpointOff},
        {"stale", "stale", &P::stale}}},
      {"Search and difference",
       {{"match", "match", &P::match},
        {"matchCurrent", "current match", &P::matchCurrent},
        {"added", "added line", &P::added},
        {"addedWord", "added word", &P::addedWord},
        {"removed", "removed line", &P::removed},
        {"removedWord", "removed word", &P::removedWord},
        {"changed", "changed line", &P::changed},
        {"changedWord", "changed word", &P::changedWord},
        {"filler", "line of the other side alone", &P::filler}}},
  };
  return all;
}

std::vector<ColorRole> makeRoles() {
  std::vector<ColorRole> roles;
  for (const Group& group : groups())
    for (const Named& named : group.colors)
      roles.push_back({QString::fromLatin1(named.id), group.title, QString::fromLatin1(named.title), named.color});
  constexpr std::pair<const char*, QColor KindColors::*> kParts[] = {
      {"line", &KindColors::line}, {"fill", &KindColors::fill}, {"bar", &KindColors::bar}, {"ink", &KindColors::ink}};
  std::vector<std::pair<OpKind, QString>> kinds;
  for (const KindLegend& kind : kindLegend()) kinds.emplace_back(kind.kind, QString::fromLatin1(kind.name));
  kinds.emplace_back(OpKind::Other, QStringLiteral("other"));
  for (const auto& [kind, name] : kinds)
    for (const auto& [part, color] : kParts)
      roles.push_back({QString(name).replace(' ', '-') + '.' + QLatin1String(part), "Operators",
                       name + QStringLiteral(", ") + QLatin1String(part), nullptr, kind, color});
  return roles;
}

/// Numbers of roles: which text stands on which ground. Found by painting each role in its number.
std::vector<std::pair<size_t, size_t>> makePairs() {
  Palette numbered;
  const std::vector<ColorRole>& roles = colorRoles();
  for (size_t i = 0; i < roles.size(); ++i)
    setColor(&numbered, roles[i], QColor::fromRgb(0xff000000U | static_cast<unsigned>(i)));
  const auto numberOf = [](const QColor& color) { return static_cast<size_t>(color.rgb() & 0xffffffU); };
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const ColorPair& pair : textPairs(numbered)) pairs.emplace_back(numberOf(pair.text), numberOf(pair.ground));
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  return pairs;
}

}  // namespace

const std::vector<ColorRole>& colorRoles() {
  static const std::vector<ColorRole> roles = makeRoles();
  return roles;
}

const ColorRole* colorRole(const QString& id) {
  const auto found = std::ranges::find(colorRoles(), id, &ColorRole::id);
  return found == colorRoles().end() ? nullptr : &*found;
}

const QColor& colorOf(const Palette& palette, const ColorRole& role) {
  return role.color ? palette.*role.color : palette.of(role.kind).*role.part;
}

void setColor(Palette* palette, const ColorRole& role, const QColor& color) {
  if (role.color) {
    palette->*role.color = color;
    return;
  }
  for (size_t kind = 0; kind < kOpKindCount; ++kind)
    if (familyOf(static_cast<OpKind>(kind)) == familyOf(role.kind)) palette->kinds[kind].*role.part = color;
}

bool setOwnColors(bool dark, const OwnColors& own) {
  Palette* shown = shownTheme(dark);
  bool changed = false;
  if (!shown) return changed;
  for (const ColorRole& role : colorRoles()) {
    const QColor chosen = own.value(role.id);
    const QColor& wanted = chosen.isValid() ? chosen : colorOf(plainTheme(dark), role);
    if (colorOf(*shown, role) == wanted) continue;
    setColor(shown, role, wanted);
    changed = true;
  }
  return changed;
}

std::optional<RoleContrast> leastContrast(const Palette& palette, const ColorRole& role) {
  static const std::vector<std::pair<size_t, size_t>> pairs = makePairs();
  const std::vector<ColorRole>& roles = colorRoles();
  std::optional<RoleContrast> least;
  for (const auto& [text, ground] : pairs) {
    if (roles[text].id != role.id && roles[ground].id != role.id) continue;
    const double ratio = contrastRatio(colorOf(palette, roles[text]), colorOf(palette, roles[ground]));
    if (!least || ratio < least->ratio) least = {roles[text].title, roles[ground].title, ratio};
  }
  return least;
}

std::optional<QColor> legibleColor(const Palette& palette, const ColorRole& role) {
  Palette tried = palette;
  const auto isLegible = [&](const QColor& color) {
    setColor(&tried, role, color);
    const std::optional<RoleContrast> least = leastContrast(tried, role);
    return !least || least->ratio >= kLeastContrast;
  };
  if (isLegible(colorOf(palette, role))) return colorOf(palette, role);
  const QColor now = colorOf(palette, role).toHsl();
  constexpr int kLightest = 255;
  for (int away = 0; away <= kLightest; ++away) {
    for (const int lightness : {now.lightness() - away, now.lightness() + away}) {
      if (lightness < 0 || lightness > kLightest) continue;
      // As it will be written down.
      const QColor color(QColor::fromHsl(std::max(0, now.hslHue()), now.hslSaturation(), lightness).name());
      if (isLegible(color)) return color;
    }
  }
  return std::nullopt;
}

}  // namespace rx
