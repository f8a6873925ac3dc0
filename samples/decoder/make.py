"""Writes module.py, params.npz, inputs.npz and expected.npz of this sample (NumPy only)."""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
LAYERS, WIDTH, HEADS, HIDDEN, WORDS = 2, 64, 4, 128, 96
SIZE = WIDTH // HEADS
LOWEST = -65504.0

lines = []
params = [("embedding", (WORDS, WIDTH))]


def tensor(*shape, dtype="float32"):
    inside = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    return f'R.Tensor(({inside}), dtype="{dtype}")'


def bind(name, info, text):
    lines.append(f"{name}: {info} = {text}")
    return name


def param(name, *shape):
    params.append((name, shape))
    return name


def matmul(name, x, weight, *shape):
    return bind(name, tensor(*shape), f'R.matmul({x}, {weight}, out_dtype="void")')


def heads(p, part, x):
    y = matmul(f"{part}{p}", x, param(f"{part}_proj{p}", WIDTH, WIDTH), "n", WIDTH)
    y = bind(f"{part}_heads{p}", tensor("n", HEADS, SIZE), f"R.reshape({y}, R.shape([n, {HEADS}, {SIZE}]))")
    return bind(f"{part}_t{p}", tensor(HEADS, "n", SIZE), f"R.permute_dims({y}, axes=[1, 0, 2])")


def rotate(p, part, x):
    whole, half = tensor(HEADS, "n", SIZE), tensor(HEADS, "n", SIZE // 2)
    parts = bind(f"{part}_parts{p}", f"R.Tuple({half}, {half})", f"R.split({x}, indices_or_sections=2, axis=-1)")
    low = bind(f"{part}_low{p}", half, f"{parts}[0]")
    high = bind(f"{part}_high{p}", half, f"{parts}[1]")
    turned = bind(f"{part}_neg{p}", half, f"R.negative({high})")
    turned = bind(f"{part}_turned{p}", whole, f"R.concat(({turned}, {low}), axis=-1)")
    a = bind(f"{part}_cos{p}", whole, f"R.multiply({x}, cos)")
    b = bind(f"{part}_sin{p}", whole, f"R.multiply({turned}, sin)")
    return bind(f"{part}_rope{p}", whole, f"R.add({a}, {b})")


def attention(p, x):
    square = tensor(HEADS, "n", "n")
    q, k, v = rotate(p, "q", heads(p, "q", x)), rotate(p, "k", heads(p, "k", x)), heads(p, "v", x)
    k = bind(f"k_flat{p}", tensor(HEADS, SIZE, "n"), f"R.permute_dims({k}, axes=[0, 2, 1])")
    y = matmul(f"scores{p}", q, k, HEADS, "n", "n")
    y = bind(f"scaled{p}", square, f'R.multiply({y}, R.const({SIZE**-0.5}, "float32"))')
    y = bind(f"masked{p}", square, f'R.where(mask, {y}, R.const({LOWEST}, "float32"))')
    y = bind(f"weights{p}", square, f"R.nn.softmax({y}, axis=-1)")
    y = matmul(f"mixed{p}", y, v, HEADS, "n", SIZE)
    y = bind(f"mixed_t{p}", tensor("n", HEADS, SIZE), f"R.permute_dims({y}, axes=[1, 0, 2])")
    y = bind(f"joined{p}", tensor("n", WIDTH), f"R.reshape({y}, R.shape([n, {WIDTH}]))")
    return matmul(f"attended{p}", y, param(f"o_proj{p}", WIDTH, WIDTH), "n", WIDTH)


def feed_forward(p, x):
    wide = tensor("n", HIDDEN)
    gate = matmul(f"gate{p}", x, param(f"gate_proj{p}", WIDTH, HIDDEN), "n", HIDDEN)
    gate = bind(f"silu{p}", wide, f"R.nn.silu({gate})")
    up = matmul(f"up{p}", x, param(f"up_proj{p}", WIDTH, HIDDEN), "n", HIDDEN)
    y = bind(f"gated{p}", wide, f"R.multiply({gate}, {up})")
    return matmul(f"down{p}", y, param(f"down_proj{p}", HIDDEN, WIDTH), "n", WIDTH)


def norm(name, x, weight):
    return bind(name, tensor("n", WIDTH), f"R.nn.rms_norm({x}, {param(weight, WIDTH)}, axes=[-1], epsilon=1.0000000000000001e-05)")


def decoder():
    ones = bind("ones", tensor("n", "n"), 'R.ones(R.shape([n, n]), dtype="float32")')
    below = bind("below", tensor("n", "n"), f"R.tril({ones}, k=0)")
    bind("mask", tensor("n", "n", dtype="bool"), f'R.greater({below}, R.const(0.0, "float32"))')
    x = bind("embedded", tensor("n", WIDTH), 'R.take(embedding, tokens, axis=0, mode="fast")')
    for layer in range(LAYERS):
        p = f"_{layer}"
        y = attention(p, norm(f"attention_in{p}", x, f"attention_norm{p}"))
        x = bind(f"after_attention{p}", tensor("n", WIDTH), f"R.add({x}, {y})")
        y = feed_forward(p, norm(f"feed_in{p}", x, f"feed_norm{p}"))
        x = bind(f"after_feed{p}", tensor("n", WIDTH), f"R.add({x}, {y})")
    x = norm("last_in", x, "last_norm")
    matmul("logits", x, param("head", WIDTH, WORDS), "n", WORDS)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def compute(tokens, cos, sin, w):
    def rms(x, weight):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w[weight]

    def split(x):
        return x.reshape(-1, HEADS, SIZE).transpose(1, 0, 2)

    def rope(x):
        return x * cos + np.concatenate([-x[..., SIZE // 2 :], x[..., : SIZE // 2]], -1) * sin

    x = w["embedding"][tokens]
    mask = np.tril(np.ones((len(tokens), len(tokens)))) > 0
    for layer in range(LAYERS):
        p = f"_{layer}"
        y = rms(x, f"attention_norm{p}")
        q, k, v = (split(y @ w[f"{part}_proj{p}"]) for part in "qkv")
        scores = np.where(mask, rope(q) @ rope(k).transpose(0, 2, 1) * SIZE**-0.5, LOWEST)
        y = (softmax(scores) @ v).transpose(1, 0, 2).reshape(-1, WIDTH)
        x = x + y @ w[f"o_proj{p}"]
        y = rms(x, f"feed_norm{p}")
        gate = y @ w[f"gate_proj{p}"]
        x = x + (gate / (1 + np.exp(-gate)) * (y @ w[f"up_proj{p}"])) @ w[f"down_proj{p}"]
    return rms(x, "last_norm") @ w["head"]


decoder()
N = '"n"'  # in a signature a symbol is written as a text
inputs = [f"tokens: {tensor(N, dtype='int32')}", f"cos: {tensor(N, SIZE)}", f"sin: {tensor(N, SIZE)}"]
arguments = ", ".join(inputs + [f"{name}: {tensor(*shape)}" for name, shape in params])
body = "\n".join("            " + line for line in lines)
(here / "module.py").write_text(
    "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n# from tvm.script import relax as R\n\n"
    f"@I.ir_module\nclass Module:\n    @R.function\n    def main({arguments}) -> {tensor(N, WORDS)}:\n        n = T.int64()\n"
    f'        R.func_attr({{"num_input": 3}})\n        with R.dataflow():\n{body}\n            R.output(logits)\n        return logits\n'
)
rng = np.random.default_rng(2)
values = {}
for name, shape in params:
    # Values of a few bits keep the file small once compressed and change nothing about the arithmetic.
    scale = 64 if len(shape) > 1 else 1
    base = 0 if len(shape) > 1 else 1
    values[name] = (base + rng.integers(-12, 13, shape) / (scale * 4 if base else scale)).astype(np.float32)
tokens = rng.integers(0, WORDS, 7).astype(np.int32)
angle = np.arange(7)[:, None] * 10000.0 ** (-np.arange(SIZE // 2) / (SIZE // 2))[None, :]
angle = np.concatenate([angle, angle], -1)
cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
exact = compute(tokens, cos.astype(np.float64), sin.astype(np.float64), {k: v.astype(np.float64) for k, v in values.items()})
np.savez_compressed(here / "params.npz", **values)
np.savez_compressed(here / "inputs.npz", tokens=tokens, cos=cos, sin=sin)
np.savez_compressed(here / "expected.npz", out=exact.astype(np.float32))
