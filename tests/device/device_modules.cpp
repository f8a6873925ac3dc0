#include "tests/device/device_modules.h"

#include <fmt/format.h>

namespace rx {

namespace {

constexpr const char* kHead =
    "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"
    "@I.ir_module\nclass Module:\n";

constexpr ModuleRow kModules[] = {
    {"R.add(p0, p1)", "33, 7: float32; 7: float32"},
    {"R.exp(p0)", "n: float32"},
    {"R.nn.softmax(p0, axis=-1)", "5, 19: float32"},
    {"R.matmul(p0, p1)", "17, 23: float32; 23, 9: float32"},
    {"R.matmul(p0, p1)", "n, 8: float16; 8, 4: float16"},
    {"R.nn.gelu(p0)", "40: bfloat16"},
    {"R.astype(p0, \"int8\")", "40: float32"},
    {"R.floor_divide(p0, R.const(3, \"int32\"))", "40: int32"},
    {"R.sum(p0, axis=[0])", "n, 3: int64"},
    {"R.max(p0)", "6, 6: float64"},
    {"R.take(p0, p1, axis=0)", "8, 3: float32; 5: int64"},
    {"R.cumsum(p0, axis=0)", "20: float32"},
    {"R.greater(p0, p1)", "12: float32; 12: float32"},
    {"R.nn.layer_norm(p0, p1, p2, axes=[-1])", "4, 16: float32; 16: float32; 16: float32"},
    {"R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1])", "1, 3, 8, 8: float32; 4, 3, 3, 3: float32"},
    {"R.concat((p0, p1), axis=1)", "2, 3: float32; 2, 4: float32"},
};

constexpr ModuleRow kScheduled[] = {
    {"R.mean(p0, axis=None)", "3, 3: float32"},
    {"R.variance(p0, axis=None)", "3, 3: float32"},
    {"R.sum(p0, axis=[1])", "4, 70: float32"},
    {"R.matmul(p0, p1)", "20, 24: float32; 24, 40: float32"},
    {"R.matmul(p0, p0)", "20, 20: float32"},
    {"R.matmul(p0, p1)", "1, 64: float32; 64, 24: float32"},
    {"R.matmul(p0, p1, out_dtype=\"float32\")", "n, 64: float16; 64, 64: float16"},
    {"R.matmul(p0, p1)", "n, 64: float32; 64, 64: float32"},
    {"R.matmul(p0, p1, out_dtype=\"float32\")", "40, 48: float16; 48, 136: float16"},
    {"R.matmul(p0, p1, out_dtype=\"float32\")", "2, 20, 33: float16; 2, 33, 19: float16"},
    {"R.nn.relu(R.add(R.matmul(p0, R.permute_dims(p1), out_dtype=\"float32\"), p2))",
     "n, 40: float16; 24, 40: float16; 24: float32"},
    {"R.nn.softmax(p0, axis=-1)", "3, 40: float32"},
    {"R.permute_dims(p0)", "33, 17: float32"},
    {"R.nn.cross_entropy_with_logits(p0, p1)", "6, 5: float32; 6, 5: float32"},
    {"R.nn.attention(p0, p1, p2)", "2, 5, 3, 8: float32; 2, 37, 3, 8: float32; 2, 37, 3, 6: float32"},
    {"R.nn.attention(p0, p1, p2, p3, causal_mask=\"TopLeft\")",
     "1, 8, 2, 8: float32; 1, 9, 2, 8: float32; 1, 9, 2, 8: float32; 1, 2, 8, 9: float32"},
    {"R.nn.attention(p0, p1, p2)", "1, n, 2, 8: float32; 1, 33, 2, 8: float32; 1, 33, 2, 8: float32"},
    {"R.matmul(R.nn.softmax(R.multiply(R.matmul(p0, p1), R.const(0.5, \"float32\")), axis=-1), p2)",
     "1, 2, 8, 16: float32; 1, 2, 16, 70: float32; 1, 2, 70, 8: float32"},
    {"R.max(p0, axis=[1])", "n, 70: float32"},
    {"R.min(p0, axis=[0, 2])", "3, 4, 50: int32"},
    {"R.prod(p0, axis=[1])", "6, n: float32"},
    {"R.argmax(p0, axis=1)", "4, 130: float32"},
    {"R.nn.relu(R.max(p0, axis=[1], keepdims=True))", "5, 33: float32"},
    {"R.permute_dims(p0, axes=[1, 2, 0])", "n, 3, 40: float32"},
    {"R.nn.relu(R.permute_dims(p0, axes=[0, 2, 1]))", "2, 33, 9: float16"},
    {"R.add(R.permute_dims(p0), p1)", "40, n: float32; n, 40: float32"},
    {"R.matmul(p0, R.permute_dims(p1), out_dtype=\"float32\")", "1, 64: float16; 24, 64: float16"},
    {"R.matmul(p0, R.multiply(R.astype(p1, \"float16\"), p2), out_dtype=\"float32\")",
     "1, 64: float16; 64, 48: int8; 48: float16"},
};

constexpr ModuleRow kDispatched[] = {
    {"R.sort(p0, axis=-1)", "3, 5: float32"},
    {"R.sort(p0, axis=0, descending=True)", "n, 4: int32"},
    {"R.sort(p0, axis=-1)", "530: float16"},
    {"R.argsort(p0, axis=1, dtype=\"int64\")", "2, 7, 3: int32"},
    {"R.argsort(p0, axis=-1, descending=True)", "600: int32"},
    {"R.argsort(R.log(p0), axis=0)", "40, 2: float32"},
    {"R.argsort(R.log(p0), axis=0, descending=True)", "n, 2: float32"},
    {"R.topk(p0, k=3, axis=0, ret_type=\"values\")", "9, 2: uint8"},
    {"R.topk(p0, k=2, axis=-1, ret_type=\"indices\", largest=False)", "2, 520: int32"},
    {"R.cumsum(p0, axis=1)", "2, 5, 3: float32"},
    {"R.cumsum(p0)", "33, 40: int32"},
    {"R.cumsum(p0, axis=0, exclusive=True)", "n, 2: int64"},
    {"R.cumsum(p0, axis=-1, exclusive=True)", "1, 1030: int32"},
    {"R.cumprod(p0, axis=0)", "4, 3: float32"},
    {"R.cumsum(p0, axis=0, dtype=\"int32\")", "n: bool"},
    {"R.multinomial_from_uniform(R.nn.softmax(p0), p1, p2)", "5, 300: float32; 4, 1: float32; 4, 1: int64"},
    {"R.scatter_elements(p0, p1, p2, axis=0, reduction=\"add\")", "5, 70: float32; 2, 70: int32; 2, 70: float32"},
};

constexpr KernelRow kKernels[] = {
    {"sums that wrap", "int32 int32", "for i in range(8):\n    y[i] = x[i] * 1000000007 - 2147483647"},
    {"remainders of negative numbers", "int32 int32",
     "for i in range(8):\n    y[i] = (x[i] - 2) // -3 * 100 + (x[i] - 2) % -3"},
    {"a running sum", "float32 float32", "y[0] = x[0]\nfor i in range(7):\n    y[i + 1] = y[i] + x[i + 1]"},
    {"a view that begins elsewhere", "float32 float32",
     "part = T.decl_buffer((2, 2), \"float32\", data=x.data, elem_offset=4)\n"
     "for i in range(8):\n    y[i] = part[i // 2 % 2, i % 2]"},
    {"a while loop", "int32 int32",
     "for i in range(8):\n    y[i] = x[i]\n    while y[i] < 100:\n        y[i] = y[i] * 3 + 1"},
    {"vectors", "float32 float32",
     "for i in range(2):\n    for j in T.vectorized(4):\n        y[i * 4 + j] = x[i * 4 + j] + T.float32(1)"},
    {"a float of 8 bits", "float8_e4m3fn float8_e4m3fn", "for i in range(8):\n    y[i] = x[i] * x[i]"},
    {"bits", "uint8 uint8", "for i in range(8):\n    y[i] = T.shift_left(x[i], T.uint8(7)) + T.bitwise_not(x[i])"},
    {"additions of several threads", "int32 int32",
     "for i in T.parallel(8):\n    y[i] = x[i]\nfor i in T.parallel(8):\n"
     "    T.evaluate(T.atomic_add(T.address_of(y[i % 3]), x[i]))"},
    {"what stood there before an addition", "float32 float32",
     "for i in range(8):\n    y[i] = x[i]\n    y[i] = T.atomic_add(T.address_of(y[i]), x[i]) * T.float32(2)"},
    {"additions of 64 bits", "int64 int64",
     "for i in T.parallel(8):\n    y[i] = T.int64(1099511627776)\nfor i in T.parallel(8):\n"
     "    T.evaluate(T.atomic_add(T.address_of(y[0]), x[i]))"},
    {"what is fetched ahead", "float32 float32",
     "for i in range(8):\n    T.evaluate(T.prefetch(T.address_of(x[i]), 0, 3, 1))\n    y[i] = x[i]"},
};

}  // namespace

std::string moduleOf(const QString& text, const QString& tensors) {
  std::string params;
  int number = 0;
  for (const QString& tensor : tensors.split(';')) {
    const QStringList parts = tensor.split(':');
    std::string shape;
    for (const QString& extent : parts[0].split(',')) {
      const std::string size = extent.trimmed().toStdString();
      shape += (size == "n" ? "\"n\"" : size) + ", ";
    }
    params += fmt::format("{}p{}: R.Tensor(({}), dtype=\"{}\")", number ? ", " : "", number, shape,
                          parts[1].trimmed().toStdString());
    ++number;
  }
  return fmt::format(
      "{}    @R.function\n    def main({}):\n        with R.dataflow():\n            lv = {}\n            "
      "R.output(lv)\n"
      "        return lv\n",
      kHead, params, text.toStdString());
}

std::string kernelOf(const QString& types, const QString& body) {
  const std::string in = types.section(' ', 0, 0).toStdString(), out = types.section(' ', 1, 1).toStdString();
  std::string text =
      fmt::format("{}    @T.prim_func(s_tir=True)\n    def k(x: T.Buffer((8,), \"{}\"), y: T.Buffer((8,), \"{}\")):\n",
                  kHead, in, out);
  for (const QString& line : body.split('\n')) text += "        " + line.toStdString() + "\n";
  return text + fmt::format(
                    "\n    @R.function\n    def main(p0: R.Tensor((8,), dtype=\"{0}\")):\n        cls = Module\n"
                    "        lv = R.call_tir(cls.k, (p0,), out_sinfo=R.Tensor((8,), dtype=\"{1}\"))\n"
                    "        return lv\n",
                    in, out);
}

std::span<const ModuleRow> moduleRows() { return kModules; }
std::span<const ModuleRow> scheduledRows() { return kScheduled; }
std::span<const ModuleRow> dispatchedRows() { return kDispatched; }
std::span<const KernelRow> kernelRows() { return kKernels; }

std::string sharingKernel() {
  return kernelOf("float32 float32",
                  "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
                  "    with T.sblock(\"\"):\n"
                  "        ours = T.sblock_alloc_buffer((8,), scope=\"shared\")\n"
                  "        ours[t] = x[t]\n"
                  "        y[t] = ours[7 - t]");
}

std::string movingKernel(const QString& ending, const QString& type) {
  return kernelOf(type + " " + type,
                  "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
                  "    with T.sblock(\"\"):\n"
                  "        y[t] = T.tvm_warp_shuffle" +
                      ending + "(T.uint32(255), x[t], 1, 8, 32)");
}

std::string partsModule(const std::string& kind) {
  constexpr const char* kBody =
      R"(    I.module_global_infos({{"vdevice": [I.vdevice("{0}", 0, "global"), I.vdevice("{0}", 1, "global"),
                                        I.vdevice("llvm", 0, "global")]}})

    @R.function
    def main(p0: R.Tensor((2, 3), "float32"), p1: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.to_vdevice(p0, "{0}:0")
            b = R.to_vdevice(p1, "{0}:0")
            s = R.add(a, b)
            t = R.to_vdevice(s, "{0}:1")
            u = R.multiply(t, t)
            d = R.add(t, u)
            v = R.to_vdevice(d, "llvm:0")
            w = R.negative(v)
            R.output(w)
        return w
)";
  return kHead + fmt::format(kBody, kind);
}

}  // namespace rx
