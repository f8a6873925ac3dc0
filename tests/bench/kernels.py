"""Writes the modules that bench_kernels times beside time_onnxruntime.py, one file a case; ResNet-18 is in samples.

    python tests/bench/kernels.py FOLDER
    build/release/bench/bench_kernels optimized FOLDER/*.py samples/resnet18/module.py
    build/release/bench/bench_kernels optimized FOLDER/sized/dense_n.py:128 FOLDER/sized/dense_128.py

Parameters of other names than x, y and z are weights. What is in `sized` is there for rows of any number, and for each of four numbers.
"""
import pathlib
import sys

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

    def norm(value):
        return m(f"R.nn.layer_norm({value}, {m.param(512)}, {m.param(512)}, axes=[-1], epsilon=1e-5)")

    q, k, v = (heads(order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scores = m(f"R.multiply({m(f'R.matmul({q}, {k})')}, R.const(0.125, \"float32\"))")
    attended = m(f"R.matmul({m(f'R.nn.softmax({scores}, axis=-1)')}, {v})")
    joined = m(f"R.reshape({m(f'R.permute_dims({attended}, axes=[0, 2, 1, 3])')}, R.shape([1, 128, 512]))")
    value = norm(m(f"R.add(x, {m.dense(joined, 512, 512)})"))
    hidden = m.dense(m(f"R.nn.gelu({m.dense(value, 512, 2048)})"), 2048, 512)
    norm(m(f"R.add({value}, {hidden})"))
    m.write("transformer")


def attention():
    m = Module(x=(8, 512, 64), y=(8, 64, 512), z=(8, 512, 64))
    scores = m("R.multiply(R.matmul(x, y), R.const(0.125, \"float32\"))")
    m(f"R.matmul({m(f'R.nn.softmax({scores}, axis=-1)')}, z)")
    m.write("attention")


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
