"""Writes the modules that bench_kernels times beside time_onnxruntime.py, one file a case; ResNet-18 is in samples.

    python tests/bench/kernels.py FOLDER
    python tests/bench/time_onnxruntime.py --beside build/release/bin/rxs   # writes them itself
    build/release/bench/bench_kernels optimized FOLDER/*.py samples/resnet18/module.py
    build/release/bench/bench_sizes FOLDER/sized

Parameters of other names than x, y and z are weights. What is in `sized` is there for rows of any number, and for each of four numbers.
"""
import pathlib
import sys

from networks import MOBILENET, RESNET50

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def tensor(shape):
    sizes = [f'"{size}"' if isinstance(size, str) else str(size) for size in shape]
    return f"R.Tensor(({', '.join(sizes)}{',' if len(shape) == 1 else ''}), dtype=\"float32\")"


class Module:
    """Parameters and bindings of one main."""

    def __init__(self, **params):
        self.params, self.lines = dict(params), []

    def param(self, *shape):
        name = f"w{len(self.params)}"
        self.params[name] = shape
        return name

    def __call__(self, text):
        self.lines.append(f"lv{len(self.lines)} = {text}")
        return f"lv{len(self.lines) - 1}"

    def dense(self, value, k, n):
        return self(f"R.add({self(f'R.matmul({value}, {self.param(k, n)})')}, {self.param(n)})")

    def conv(self, value, channels, filters, kernel, stride=1, groups=1):
        weight = self.param(filters, channels // groups, kernel, kernel)
        made = self(f"R.nn.conv2d({value}, {weight}, strides=[{stride}, {stride}], padding=[{kernel // 2}, {kernel // 2}, "
                    f"{kernel // 2}, {kernel // 2}], groups={groups})")
        return self(f"R.add({made}, {self.param(1, filters, 1, 1)})")

    def classified(self, value, channels):
        return self.dense(self(f"R.mean({value}, axis=[2, 3])"), channels, 1000)

    def norm(self, value, size):
        return self(f"R.nn.layer_norm({value}, {self.param(size)}, {self.param(size)}, axes=[-1], epsilon=1e-5)")

    def write(self, name):
        params = ", ".join(f"{p}: {tensor(s)}" for p, s in self.params.items())
        result = f"lv{len(self.lines) - 1}"
        body = "".join(f"            {line}\n" for line in self.lines)
        (FOLDER / f"{name}.py").write_text(
            "# from tvm.script import ir as I\n# from tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
            f"    @R.function\n    def main({params}):\n        with R.dataflow():\n{body}"
            f"            R.output({result})\n        return {result}\n"
        )


def one(name, text, **params):
    module = Module(**params)
    module(text)
    module.write(name)


def perceptron(batch):
    module = Module(x=(batch, 256))
    hidden = module(f"R.nn.relu({module.dense('x', 256, 512)})")
    hidden = module(f"R.nn.relu({module.dense(hidden, 512, 512)})")
    module.dense(hidden, 512, 128)
    module.write(f"mlp{batch}")


def transformer():
    m = Module(x=(1, 128, 512))

    def heads(order):
        split = m(f"R.reshape({m.dense('x', 512, 512)}, R.shape([1, 128, 8, 64]))")
        return m(f"R.permute_dims({split}, axes={order})")

    q, k, v = (heads(order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scores = m(f"R.multiply({m(f'R.matmul({q}, {k})')}, R.const(0.125, \"float32\"))")
    attended = m(f"R.matmul({m(f'R.nn.softmax({scores}, axis=-1)')}, {v})")
    joined = m(f"R.reshape({m(f'R.permute_dims({attended}, axes=[0, 2, 1, 3])')}, R.shape([1, 128, 512]))")
    value = m.norm(m(f"R.add(x, {m.dense(joined, 512, 512)})"), 512)
    hidden = m.dense(m(f"R.nn.gelu({m.dense(value, 512, 2048)})"), 2048, 512)
    m.norm(m(f"R.add({value}, {hidden})"), 512)
    m.write("transformer")


def attention(name="attention", size=512):
    m = Module(x=(8, size, 64), y=(8, 64, size), z=(8, size, 64))
    scores = m("R.multiply(R.matmul(x, y), R.const(0.125, \"float32\"))")
    m(f"R.matmul({m(f'R.nn.softmax({scores}, axis=-1)')}, z)")
    m.write(name)


def resnet50():
    m = Module(x=(1, 3, 224, 224))

    def relu(value):
        return m(f"R.nn.relu({value})")

    value = relu(m.conv("x", 3, 64, 7, 2))
    value = m(f"R.nn.max_pool2d({value}, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])")
    channels = 64
    for inner, blocks, first in RESNET50:
        for block in range(blocks):
            stride = first if block == 0 else 1
            kept = m.conv(value, channels, 4 * inner, 1, stride) if block == 0 else value
            made = relu(m.conv(value, channels, inner, 1))
            made = relu(m.conv(made, inner, inner, 3, stride))
            value = relu(m(f"R.add({m.conv(made, inner, 4 * inner, 1)}, {kept})"))
            channels = 4 * inner
    m.classified(value, channels)
    m.write("resnet50")


def mobilenet():
    m = Module(x=(1, 3, 224, 224))

    def relu6(value):
        return m(f"R.clip({value}, 0, 6)")

    value, channels = relu6(m.conv("x", 3, 32, 3, 2)), 32
    for widened, filters, blocks, first in MOBILENET:
        for block in range(blocks):
            stride, inner = first if block == 0 else 1, channels * widened
            made = relu6(m.conv(value, channels, inner, 1)) if widened > 1 else value
            made = m.conv(relu6(m.conv(made, inner, inner, 3, stride, groups=inner)), inner, filters, 1)
            value = m(f"R.add({made}, {value})") if stride == 1 and channels == filters else made
            channels = filters
    m.classified(relu6(m.conv(value, channels, 1280, 1)), 1280)
    m.write("mobilenet")


def decoder():
    """Two layers, one token, behind 255 that were kept: y and z."""
    m = Module(x=(1, 1, 1024), y=(1, 16, 64, 255), z=(1, 16, 255, 64))

    def product(value, k, n):
        return m(f"R.matmul({value}, {m.param(k, n)})")

    value = "x"
    for _ in range(2):
        given = m.norm(value, 1024)
        q = m(f"R.reshape({product(given, 1024, 1024)}, R.shape([1, 16, 1, 64]))")
        k = m(f"R.reshape({product(given, 1024, 1024)}, R.shape([1, 16, 64, 1]))")
        v = m(f"R.reshape({product(given, 1024, 1024)}, R.shape([1, 16, 1, 64]))")
        scores = m(f"R.matmul({q}, {m(f'R.concat((y, {k}), axis=3)')})")
        scaled = m(f"R.multiply({scores}, R.const(0.125, \"float32\"))")
        weights = m(f"R.nn.softmax({scaled}, axis=-1)")
        attended = m(f"R.matmul({weights}, {m(f'R.concat((z, {v}), axis=2)')})")
        joined = m(f"R.reshape({attended}, R.shape([1, 1, 1024]))")
        value = m(f"R.add({value}, {product(joined, 1024, 1024)})")
        given = m.norm(value, 1024)
        hidden = m(f"R.multiply({m(f'R.nn.silu({product(given, 1024, 2816)})')}, {product(given, 1024, 2816)})")
        value = m(f"R.add({value}, {product(hidden, 2816, 1024)})")
    m.write("decoder")


one("matmul512", "R.matmul(x, y)", x=(512, 512), y=(512, 512))
one("matmul1024", "R.matmul(x, y)", x=(1024, 1024), y=(1024, 1024))
one("ragged", "R.matmul(x, y)", x=(1000, 777), y=(777, 333))
one("conv3x3", "R.nn.conv2d(x, w, padding=[1, 1, 1, 1])", x=(1, 64, 56, 56), w=(64, 64, 3, 3))
one("matvec4096", "R.matmul(x, w)", x=(1, 4096), w=(4096, 4096))
one("softmax", "R.nn.softmax(x, axis=-1)", x=(1024, 4096))
one("layernorm", "R.nn.layer_norm(x, w0, w1, axes=[-1], epsilon=1e-5)", x=(1024, 4096), w0=(4096,), w1=(4096,))
one("depthwise", "R.nn.conv2d(x, w, padding=[1, 1, 1, 1], groups=128)", x=(1, 128, 56, 56), w=(128, 1, 3, 3))
one("tall", "R.matmul(x, w)", x=(4, 4096), w=(4096, 11008))
attention()
perceptron(64)
perceptron(1)
transformer()
resnet50()
mobilenet()
decoder()



def packed(name, bits, turned):
    """A vector of 4096 times the 4096 x 11008 weights of a language model, of so few bits, scaled by groups of 32."""
    k, n, numbers = 4096, 11008, 8 if bits == 4 else 1
    kind = "uint32" if bits == 4 else "int8"

    def sizes(sums):
        return f"(T.int64({n}), T.int64({sums}))" if turned else f"(T.int64({sums}), T.int64({n}))"

    def at(steps):
        return f"vi, vj // T.int64({steps})" if turned else f"vi // T.int64({steps}), vj"

    place = "vj" if turned else "vi"
    word = f"w[{at(numbers)}]" if numbers > 1 else "w[vi, vj]"
    if bits == 4:
        shift = f'T.Cast("uint32", {place} % T.int64(8) * T.int64(4))'
        number = f'T.Cast("float32", T.bitwise_and(T.shift_right({word}, {shift}), T.uint32(15))) - T.float32(7)'
    else:
        number = f'T.Cast("float32", {word})'
    relax = {s: sizes(s).replace("T.int64(", "").replace("),", ",").replace("))", ")") for s in (k // numbers, k // 32, k)}
    weights = "R.permute_dims(u)" if turned else "u"
    (FOLDER / f"{name}.py").write_text(f"""# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def unpack(w: T.Buffer({sizes(k // numbers)}, "{kind}"), s: T.Buffer({sizes(k // 32)}, "float32"), out: T.Buffer({sizes(k)}, "float32")):
        for i, j in T.grid{sizes(k)}:
            with T.block("unpack"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = ({number}) * s[{at(32)}]

    @R.function
    def main(x: R.Tensor((1, {k}), dtype="float32"), w: R.Tensor({relax[k // numbers]}, dtype="{kind}"), s: R.Tensor({relax[k // 32]}, dtype="float32")):
        cls = Module
        with R.dataflow():
            u = R.call_tir(cls.unpack, (w, s), out_sinfo=R.Tensor({relax[k]}, dtype="float32"))
            lv = R.matmul(x, {weights})
            R.output(lv)
        return lv
""")


for bits in (4, 8):
    packed(f"int{bits}", bits, False)
    packed(f"int{bits}turned", bits, True)
one("decode", "R.matmul(x, w)", x=(1, 4096), w=(4096, 11008))

(FOLDER / "sized").mkdir(exist_ok=True)
for size in ["n", 1, 7, 128, 1000]:
    one(f"sized/dense_{size}", "R.matmul(x, y)", x=(size, 1024), y=(1024, 1024))
    one(f"sized/small_{size}", "R.matmul(x, y)", x=(size, 128), y=(128, 128))
    one(f"sized/scores_{size}", "R.matmul(x, R.permute_dims(y, axes=[0, 2, 1]))", x=(8, size, 64), y=(8, size, 64))
    one(f"sized/mixed_{size}", "R.matmul(x, y)", x=(8, size, size), y=(8, size, 64))
    one(f"sized/softmax_{size}", "R.nn.softmax(x, axis=-1)", x=(64, size))
    one(f"sized/norm_{size}", "R.nn.layer_norm(x, y, z, axes=[-1], epsilon=1e-5)", x=(size, 512), y=(512,), z=(512,))
    one(f"sized/gelu_{size}", "R.nn.gelu(x)", x=(size, 512))
    one(f"sized/sum_{size}", "R.sum(x, axis=[-1])", x=(64, size))
    one(f"sized/chain_{size}", "R.multiply(R.add(R.multiply(x, y), z), x)", x=(64, size), y=(64, 1), z=(size,))
    one(f"sized/turned_{size}", "R.permute_dims(x, axes=[1, 0])", x=(size, 512))
    one(f"sized/columns_{size}", "R.sum(x, axis=[0])", x=(size, 512))
    one(f"sized/weighed_{size}", "R.matmul(x, w)", x=(size, 512), w=(512, 512))
    one(f"sized/wide_{size}", "R.matmul(x, y)", x=(64, 256), y=(256, size))
    one(f"sized/decayed_{size}", "R.nn.rms_norm(x, y, axes=[-1], epsilon=1e-5)", x=(size, 512), y=(512,))
    attention(f"sized/attention_{size}", size)
    one(f"sized/joined_{size}", "R.concat((x, y), axis=2)", x=(8, 64, size), y=(8, 64, 16))
    one(f"sized/doubled_{size}", "R.repeat(x, repeats=2, axis=1)", x=(16, size))
    one(f"sized/pooled_{size}", "R.nn.max_pool2d(x, pool_size=[3, 3], padding=[1, 1, 1, 1])", x=(1, 16, size, 32))
    one(f"sized/running_{size}", "R.cumsum(x, axis=0)", x=(size, 64))
    one(f"sized/spread_{size}", "R.variance(x, axis=[-1])", x=(64, size))
    one(f"sized/square_{size}", "R.matmul(x, y)", x=(size, size), y=(size, size))
    one(f"sized/gated_{size}", "R.multiply(R.nn.silu(x), y)", x=(size, 300), y=(size, 300))
    one(f"sized/largest_{size}", "R.argmax(x, axis=1)", x=(64, size))
