#include "cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "core/script/parse.h"

namespace rx::test {

namespace {

constexpr Sizes kSizes[] = {
    {"constant", -1, -1, -1, -1, false}, {"symbolic", -1, -1, -1, -1, true}, {"one", 1, 1, 1, 1, false},
    {"symbolic one", 1, 1, 1, 1, true},  {"zero", 0, -1, -1, -1, false},     {"symbolic zero", 0, -1, -1, -1, true},
};

constexpr int kTries = 40;  ///< of types, until those that the operator takes are met

struct TypeClass {
  std::string_view name;
  std::vector<const char*> types;
};
const std::vector<TypeClass>& classes() {
  static const std::vector<TypeClass> kClasses{
      {"float", {"float32", "float16", "float64"}},
      {"single", {"float32", "float16"}},
      {"int", {"int32", "int64", "int8", "uint8"}},
      {"real", {"float32", "float16", "float64", "int32", "int64", "int8", "uint8"}},
      {"any", {"float32", "float16", "float64", "int32", "int64", "int8", "uint8", "bool"}},
  };
  return kClasses;
}
const TypeClass* classOf(std::string_view name) {
  auto hit = std::find_if(classes().begin(), classes().end(), [&](const TypeClass& row) { return row.name == name; });
  return hit == classes().end() ? nullptr : &*hit;
}

struct Parameter {
  std::string name;
  std::vector<std::string> dims;
  std::string type;
  std::string low, high;  ///< empty: the type's own range
};

std::vector<Parameter> readParameters(const std::string& text) {
  std::vector<Parameter> out;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::stringstream words(part);
    Parameter parameter;
    words >> parameter.name;
    parameter.name.pop_back();  // the colon
    for (std::string word; words >> word;) {
      const size_t dots = word.find("..");
      const bool dim = std::isdigit(static_cast<unsigned char>(word[0])) || word.size() == 1;
      if (dots != std::string::npos) {
        parameter.low = word.substr(0, dots);
        parameter.high = word.substr(dots + 2);
      } else if (dim) {
        parameter.dims.push_back(word);
      } else {
        parameter.type = word;
      }
    }
    out.push_back(std::move(parameter));
  }
  return out;
}

/// The sizes of one case.
class Scope {
 public:
  Scope(const Sizes& sizes, Random& random) : symbolic_(sizes.symbolic) {
    const int64_t given[] = {sizes.n, sizes.m, sizes.k, sizes.l};
    for (size_t i = 0; i < std::size(given); ++i) {
      values_[std::string(1, "NMKL"[i])] = given[i] < 0 ? random.in(2, 6) : given[i];
    }
  }
  /// "4", "N" or "N-1".
  int64_t value(const std::string& word) const {
    auto size = values_.find(word.substr(0, 1));
    if (size == values_.end()) return std::stoll(word);
    return size->second - (word.ends_with("-1") ? 1 : 0);
  }
  /// As a text has it; `inType`: inside of an annotation of a parameter.
  std::string text(const std::string& word, bool inType) {
    if (!symbolic_ || !values_.contains(word)) return std::to_string(value(word));
    std::string symbol = "size_" + std::string(1, static_cast<char>(std::tolower(static_cast<unsigned char>(word[0]))));
    if (inType) used_.insert(symbol);
    // Only what a parameter gives is known to the program.
    if (!used_.contains(symbol)) return std::to_string(value(word));
    return inType ? fmt::format("\"{}\"", symbol) : symbol;
  }
  std::string definitions() const {
    std::string out;
    for (const std::string& symbol : used_) out += fmt::format("    {} = T.int64()\n", symbol);
    return out;
  }

 private:
  bool symbolic_;
  std::map<std::string, int64_t> values_;
  std::set<std::string> used_;  ///< symbols that parameters give
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// What a value without a range is between.
struct Range {
  double low, high;
};
Range rangeOf(DataType type) {
  if (type.isBool()) return {0, 1};
  if (type.isUInt()) return {0, 9};
  return type.isIntegral() ? Range{-5, 5} : Range{-2, 2};
}

/// Nothing where the range is empty and the tensor is not.
std::optional<vm::Value> randomTensor(const std::vector<int64_t>& shape, DataType type, std::optional<Range> given,
                                      Random& random) {
  const Range range = given.value_or(rangeOf(type));
  Ref<HostTensor> tensor = *HostTensor::allocate(shape, type);
  if (range.low > range.high && tensor->count() > 0) return std::nullopt;
  for (int64_t i = 0; i < tensor->count(); ++i) {
    if (type.isFloat()) {
      tensor->set(i, range.low + (range.high - range.low) * random.unit());
    } else {
      tensor->setInt(i, random.in(static_cast<int64_t>(range.low), static_cast<int64_t>(range.high)));
    }
  }
  return vm::Value::of(tensor);
}

/// One parameter as text and as value; nothing where it has no value.
struct Made {
  std::string annotation;
  vm::Value value;
};
std::optional<Made> make(const Parameter& parameter, const std::string& type, Scope& scope, Random& random) {
  std::vector<int64_t> shape;
  std::string dims;
  for (const std::string& dim : parameter.dims) {
    shape.push_back(scope.value(dim));
    dims += scope.text(dim, true) + ",";
  }
  if (parameter.type == "Shape") {
    if (!dims.empty()) dims.pop_back();
    return Made{fmt::format("R.Shape([{}])", dims), vm::Value::shape(shape)};
  }
  const std::string own = classOf(parameter.type) ? type : parameter.type;
  std::optional<Range> range;
  if (!parameter.low.empty()) {
    const double high = static_cast<double>(scope.value(parameter.high));
    range = Range{static_cast<double>(std::stoll(parameter.low)), high};
    // A type without negative numbers keeps the rest of the range.
    if (DataType::parse(own)->isUInt()) range->low = std::max(range->low, 0.0);
    if (DataType::parse(own)->isBool()) range = Range{std::clamp(range->low, 0.0, 1.0), std::clamp(high, 0.0, 1.0)};
  }
  auto value = randomTensor(shape, *DataType::parse(own), range, random);
  if (!value) return std::nullopt;
  return Made{fmt::format("R.Tensor(({}), \"{}\")", dims, own), std::move(*value)};
}

std::optional<Case> caseOf(const CallRow& row, const Sizes& sizes, const std::string& type, size_t& counter,
                           Random& random) {
  Scope scope(sizes, random);
  Case made{&row, fmt::format("case_{}", counter), fmt::format("{}, {}, sizes {}", row.op, type, sizes.name), {}, {}};
  std::string head;
  for (const Parameter& parameter : readParameters(row.parameters)) {
    auto one = make(parameter, type, scope, random);
    if (!one) return std::nullopt;
    head += fmt::format("{}{}: {}", head.empty() ? "" : ", ", parameter.name, one->annotation);
    made.args.push_back(std::move(one->value));
  }
  std::string call = replaced(row.call, "{type}", type);
  for (const char* size : {"N", "M", "K", "L"}) {
    call = replaced(call, fmt::format("{{{}}}", size), scope.text(size, false));
  }
  const bool pure = op::findOp(row.op)->pure();
  made.text = fmt::format("@R.function{}\ndef {}({}):\n{}    gv = {}\n    return gv\n", pure ? "" : "(pure=False)",
                          made.name, head, scope.definitions(), replaced(call, "{{}}", "{}"));
  ++counter;
  return made;
}

}  // namespace

Cases casesOf(const CallRow& row, size_t& counter, Random& random) {
  std::vector<const char*> types{"fixed"};
  for (const Parameter& parameter : readParameters(row.parameters)) {
    const TypeClass* named = types.size() == 1 ? classOf(parameter.type) : nullptr;
    if (named) types = named->types;
  }
  Cases made;
  auto add = [&](const Sizes& sizes, const char* type) {
    std::optional<Case> one = caseOf(row, sizes, type, counter, random);
    if (!one) return true;
    if (Result<ir::Module> module = moduleOf(*one); !module) {
      made.refused.push_back(fmt::format("{}: {}\n{}", one->what, module.diagnostics()[0].message, one->text));
      return false;
    }
    made.accepted.push_back(std::move(*one));
    return true;
  };
  // Known sizes, unknown ones, ones and zeros, each in a type that is taken.
  size_t kind = 0;
  for (int tries = 0; kind < std::size(kSizes) && tries < kTries; ++tries) {
    const size_t step = kind < 2 ? 0 : random.next() % 2;
    if (add(kSizes[kind + step], types[random.next() % types.size()])) kind += kind < 2 ? 1 : 2;
  }
  return made;
}

Result<ir::Module> moduleOf(const Case& made) {
  return script::parseModule(
      rx::make<SourceFile>(made.name + ".py", "from tvm.script import relax as R, tir as T\n\n" + made.text));
}

}  // namespace rx::test
