"""Writes module.py of this sample; with --weights also params.npz, inputs.npz and expected.npz (47 MB, NumPy only).

The network is ResNet-18 as torchvision has it: 11,689,512 weights, 130 bindings, one image of 224 x 224.
"""
import pathlib
import sys

here = pathlib.Path(__file__).parent
EPSILON = 1e-5


class Writer:
    """The text, and beside it the shapes of the parameters and what computes the same with NumPy."""

    def __init__(self):
        self.params = []  # (name, shape)
        self.lines = []
        self.steps = []  # (result, operation, arguments)
        self.bindings = 0
        self.norms = 0

    def param(self, name, shape):
        self.params.append((name, shape))
        return name

    def bind(self, info, text, step):
        name = f"lv{self.bindings}" if self.bindings else "lv"
        self.bindings += 1
        self.lines.append(f"{name}: {info} = {text}")
        self.steps.append((name, *step))
        return name

    def conv(self, x, shape, filters, kernel, stride):
        pad = kernel // 2
        n, c, h, w = shape
        weight = self.param(f"w{self.norms}", (filters, c, kernel, kernel))
        out = (n, filters, (h + 2 * pad - kernel) // stride + 1, (w + 2 * pad - kernel) // stride + 1)
        text = (
            f"R.nn.conv2d({x}, {weight}, strides=[{stride}, {stride}], padding=[{pad}, {pad}, {pad}, {pad}], "
            'dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")'
        )
        return self.bind(tensor(out), text, ("conv", x, weight, stride, pad)), out

    def norm(self, x, shape):
        i = self.norms
        self.norms += 1
        names = [self.param(f"{kind}{i}", (shape[1],)) for kind in ("s", "bb", "m", "v")]
        info = f"R.Tuple({tensor(shape)}, {tensor((shape[1],))}, {tensor((shape[1],))})"
        text = (
            f"R.nn.batch_norm({x}, {', '.join(names)}, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, "
            "momentum=0.10000000000000001, training=False)"
        )
        whole = self.bind(info, text, ("norm", x, *names))
        parts = [
            self.bind(tensor(s), f"{whole}[{j}]", ("part", whole, j))
            for j, s in enumerate((shape, (shape[1],), (shape[1],)))
        ]
        return parts[0]

    def relu(self, x, shape):
        return self.bind(tensor(shape), f"R.nn.relu({x})", ("relu", x))

    def block(self, x, shape, filters, stride):
        short = x
        if stride != 1 or shape[1] != filters:
            short, to = self.conv(x, shape, filters, 1, stride)
            short = self.norm(short, to)
        y, to = self.conv(x, shape, filters, 3, stride)
        y = self.relu(self.norm(y, to), to)
        y, to = self.conv(y, to, filters, 3, 1)
        y = self.norm(y, to)
        y = self.bind(tensor(to), f"R.add({y}, {short})", ("add", y, short))
        return self.relu(y, to), to


def tensor(shape):
    inside = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    return f'R.Tensor(({inside}), dtype="float32")'


def network():
    net = Writer()
    shape = (1, 3, 224, 224)
    y, shape = net.conv("x", shape, 64, 7, 2)
    y = net.relu(net.norm(y, shape), shape)
    shape = (1, 64, 56, 56)
    y = net.bind(
        tensor(shape),
        f"R.nn.max_pool2d({y}, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1], dilation=[1, 1], "
        'ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout="NCHW")',
        ("pool", y),
    )
    for filters, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        y, shape = net.block(y, shape, filters, stride)
    y = net.bind(tensor((1, 512, 1, 1)), f"R.mean({y}, axis=[2, 3], keepdims=True)", ("mean", y))
    y = net.bind(tensor((1, 512)), f"R.reshape({y}, R.shape([1, 512]))", ("reshape", y))
    y = net.bind(
        tensor((1, 1000)), f'R.matmul({y}, {net.param("fw", (512, 1000))}, out_dtype="void")', ("matmul", y, "fw")
    )
    last = f"R.add({y}, {net.param('fb', (1000,))})"
    net.lines.append(f"gv: {tensor((1, 1000))} = {last}")
    net.steps.append(("gv", "add", y, "fb"))
    return net


def text_of(net):
    params = ", ".join([f"x: {tensor((1, 3, 224, 224))}"] + [f"{n}: {tensor(s)}" for n, s in net.params])
    lines = "\n".join("            " + line for line in net.lines)
    return (
        "# from tvm.script import ir as I\n# from tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n    @R.function\n"
        f"    def main({params}) -> {tensor((1, 1000))}:\n"
        '        R.func_attr({"num_input": 1})\n'
        f"        with R.dataflow():\n{lines}\n            R.output(gv)\n        return gv\n"
    )


def weights_of(net):
    import numpy as np

    rng = np.random.default_rng(18)
    values = {}
    for name, shape in net.params:
        if name[0] in "wf" and len(shape) > 1:
            fan = int(np.prod(shape[1:])) if len(shape) == 4 else shape[0]
            values[name] = (rng.standard_normal(shape) * (2 / fan) ** 0.5).astype(np.float32)
        elif name[0] in "sv":
            values[name] = (1 + rng.integers(-8, 9, shape) / 64).astype(np.float32)
        else:
            values[name] = (rng.integers(-8, 9, shape) / 64).astype(np.float32)
    return values


def conv(x, w, stride, pad):
    import numpy as np

    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    k = w.shape[2]
    windows = np.lib.stride_tricks.sliding_window_view(x, (k, k), axis=(2, 3))[:, :, ::stride, ::stride]
    return np.einsum("nchwij,fcij->nfhw", windows, w, optimize=True)


def pool(x):
    import numpy as np

    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    return np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))[:, :, ::2, ::2].max((4, 5))


def compute(net, env):
    import numpy as np

    def column(v):
        return v[None, :, None, None]

    operations = {
        "conv": lambda x, w, stride, pad: conv(env[x], env[w], stride, pad),
        "norm": lambda x, s, b, m, v: (
            column(env[s]) * (env[x] - column(env[m])) / np.sqrt(column(env[v]) + EPSILON) + column(env[b]),
            env[m],
            env[v],
        ),
        "part": lambda whole, i: env[whole][i],
        "relu": lambda x: np.maximum(env[x], 0),
        "add": lambda a, b: env[a] + env[b],
        "pool": lambda x: pool(env[x]),
        "mean": lambda x: env[x].mean((2, 3), keepdims=True),
        "reshape": lambda x: env[x].reshape(1, 512),
        "matmul": lambda x, w: env[x] @ env[w],
    }
    for name, operation, *arguments in net.steps:
        env[name] = operations[operation](*arguments)
    return env["gv"]


net = network()
(here / "module.py").write_text(text_of(net))
if "--weights" in sys.argv[1:]:
    import numpy as np

    params = weights_of(net)
    x = np.random.default_rng(224).standard_normal((1, 3, 224, 224)).astype(np.float32)
    expected = compute(net, {"x": x.astype(np.float64), **{k: v.astype(np.float64) for k, v in params.items()}})
    np.savez(here / "params.npz", **params)
    np.savez(here / "inputs.npz", x=x)
    np.savez(here / "expected.npz", out=expected.astype(np.float32))
