// Random Relax modules as text: operators on small tensors in a dataflow block, a private function, a branch.
#pragma once

#include <random>
#include <string>

namespace rx::tests {

/// A module whose function `main` takes two float32 tensors of (4, 4) and a bool, and gives a tuple of two tensors.
/// The same seed gives the same text.
inline std::string randomModule(unsigned seed, int bindings) {
  static constexpr const char* kUnary[] = {"R.nn.relu({0})",
                                           "R.tanh({0})",
                                           "R.sigmoid({0})",
                                           "R.negative({0})",
                                           "R.permute_dims({0})",
                                           "R.reshape(R.reshape({0}, R.shape([16])), R.shape([4, 4]))",
                                           "R.concat((R.split({0}, 2, axis=0)[1], R.split({0}, 2, axis=0)[0]), axis=0)",
                                           "R.nn.softmax({0}, axis=1)",
                                           "R.multiply({0}, R.const(0.5, \"float32\"))",
                                           "R.add({0}, R.sum({0}, axis=[1], keepdims=True))"};
  static constexpr const char* kBinary[] = {"R.add({0}, {1})",
                                            "R.subtract({0}, {1})",
                                            "R.multiply({0}, {1})",
                                            "R.maximum({0}, {1})",
                                            "R.matmul(R.tanh({0}), R.tanh({1}))",
                                            "{0}"};
  std::minstd_rand random(seed + 1);
  auto pick = [&](size_t count) { return static_cast<size_t>(random()) % count; };
  std::vector<std::string> known{"x", "w"};
  std::string body;
  for (int i = 0; i < bindings; ++i) {
    const bool one = pick(2) == 0;
    std::string value = one ? kUnary[pick(std::size(kUnary))] : kBinary[pick(std::size(kBinary))];
    for (const char* hole : {"{0}", "{1}"}) {
      const std::string name = known[known.size() - 1 - pick(std::min<size_t>(known.size(), 4))];
      for (size_t at; (at = value.find(hole)) != std::string::npos;) value.replace(at, 3, name);
    }
    known.push_back("lv" + std::to_string(i));
    body += "            " + known.back() + " = " + value + "\n";
  }
  const std::string head =
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n";
  const std::string tensor = "R.Tensor((4, 4), \"float32\")";
  return head + "    @R.function(private=True)\n    def helper(a: " + tensor + ", b: " + tensor + ") -> " + tensor +
         ":\n        with R.dataflow():\n            s = R.add(a, b)\n            t = R.nn.relu(s)\n"
         "            R.output(t)\n        return t\n\n    @R.function\n    def main(x: " +
         tensor + ", w: " + tensor + ", c: R.Tensor((), \"bool\")) -> R.Tuple(" + tensor + ", " + tensor +
         "):\n        cls = Module\n        with R.dataflow():\n" + body + "            first = " + known.back() +
         "\n            second = R.add(" + known[known.size() / 2] + ", " + known.back() +
         ")\n            R.output(first, second)\n        if c:\n            left = R.exp(R.tanh(first))\n            "
         "chosen = left\n"
         "        else:\n            right = R.abs(first)\n            chosen = right\n"
         "        helped = cls.helper(chosen, second)\n        return (helped, chosen)\n";
}

}  // namespace rx::tests
