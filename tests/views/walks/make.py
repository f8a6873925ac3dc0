"""Writes the arrays of the walks that bring their own (NumPy)."""
import json
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent


def porter():
    """Two products with weights as they should be, one of another shape, and one that is transposed."""
    random = np.random.default_rng(3)
    x = random.standard_normal((2, 8), dtype=np.float32)
    w_in = random.standard_normal((8, 8), dtype=np.float32)
    w_out = random.standard_normal((8, 4), dtype=np.float32)
    projected = x @ w_in
    active = np.maximum(projected, 0)
    folder = here / "porter"
    np.savez(folder / "inputs.npz", x=x)
    np.savez(folder / "params.npz", w_in=np.ascontiguousarray(w_in.T), w_out=w_out)
    np.savez(folder / "params_shape.npz", w_in=w_in, w_out=np.ascontiguousarray(w_out.T))
    np.savez(folder / "expected.npz", gv=active @ w_out)
    np.savez(folder / "activations.npz", projected=projected, active=active)


def safetensors(path, tensors):
    """Writes the format by hand: a length, a table, the data."""
    table, data = {}, b""
    for name, tensor in tensors.items():
        raw = np.ascontiguousarray(tensor).tobytes()
        table[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    head = json.dumps(table).encode()
    head += b" " * (-(len(head) + 8) % 64)
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def transformer():
    """Two layers of attention and a gated sum, their activations as another framework has them; weights of which one
    projection is transposed, and weights of which one has another shape."""
    random = np.random.default_rng(11)
    rows, width, inner = 4, 8, 16
    shapes = {"q": (width, width), "k": (width, width), "v": (width, width), "o": (width, width),
              "up": (width, inner), "down": (inner, width)}
    weights, values, lines = {}, {}, []

    def bind(name, shape, text, value):
        values[name] = value.astype(np.float32)
        lines.append(f'            {name}: R.Tensor({shape}, dtype="float32") = {text}')
        return values[name]

    x = random.standard_normal((rows, width), dtype=np.float32)
    at, name_at = x, "x"
    for layer in range(2):
        for name, shape in shapes.items():
            weights[f"{name}_{layer}"] = random.standard_normal(shape, dtype=np.float32) * np.float32(0.5)
        w = {name: weights[f"{name}_{layer}"] for name in shapes}
        made = {}
        for name in "qkv":
            made[name] = bind(f"{name}{layer}_proj", (rows, width),
                              f'R.matmul({name_at}, {name}_{layer}, out_dtype="void")', at @ w[name])
        bind(f"k{layer}_t", (width, rows), f"R.permute_dims(k{layer}_proj, axes=[1, 0])", made["k"].T)
        scores = bind(f"scores{layer}", (rows, rows), f'R.matmul(q{layer}_proj, k{layer}_t, out_dtype="void")',
                      made["q"] @ made["k"].T)
        power = np.exp(scores - scores.max(axis=-1, keepdims=True))
        probs = bind(f"probs{layer}", (rows, rows), f"R.nn.softmax(scores{layer}, axis=-1)",
                     power / power.sum(axis=-1, keepdims=True))
        mixed = bind(f"mixed{layer}", (rows, width), f'R.matmul(probs{layer}, v{layer}_proj, out_dtype="void")',
                     probs @ made["v"])
        out = bind(f"o{layer}_proj", (rows, width), f'R.matmul(mixed{layer}, o_{layer}, out_dtype="void")',
                   mixed @ w["o"])
        added = bind(f"added{layer}", (rows, width), f"R.add({name_at}, o{layer}_proj)", at + out)
        up = bind(f"up{layer}_proj", (rows, inner), f'R.matmul(added{layer}, up_{layer}, out_dtype="void")',
                  added @ w["up"])
        active = bind(f"active{layer}", (rows, inner), f"R.nn.relu(up{layer}_proj)", np.maximum(up, 0))
        down = bind(f"down{layer}_proj", (rows, width), f'R.matmul(active{layer}, down_{layer}, out_dtype="void")',
                    active @ w["down"])
        at, name_at = bind(f"layer{layer}", (rows, width), f"R.add(added{layer}, down{layer}_proj)", added + down), \
            f"layer{layer}"
    folder = here / "transformer"
    folder.mkdir(exist_ok=True)
    params = "".join(f', {name}: R.Tensor({tensor.shape}, dtype="float32")' for name, tensor in weights.items())
    text = f"""# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({rows}, {width}), dtype="float32"){params}) -> R.Tensor(({rows}, {width}), dtype="float32"):
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
""" + "\n".join(lines) + f"\n            R.output({name_at})\n        return {name_at}\n"
    (folder / "module.py").write_text(text)
    np.savez(folder / "inputs.npz", x=x)
    np.savez(folder / "activations.npz", **values)
    np.savez(folder / "expected.npz", out=at)
    safetensors(folder / "params.safetensors", dict(weights, v_1=weights["v_1"].T))
    safetensors(folder / "params_shape.safetensors", dict(weights, up_1=weights["up_1"].T))
    safetensors(folder / "params_right.safetensors", weights)


def reuse():
    """What the module of reuse/ computes where no storage is used twice too early."""
    x = np.arange(40, dtype=np.float32).reshape(5, 8)
    np.savez(here / "reuse" / "inputs.npz", x=x)
    np.savez(here / "reuse" / "expected.npz", out=(x + np.float32(0.25)) + (x + np.float32(0.125)))


def branches():
    """The other branch is taken, for which a stage allocates nothing."""
    x = np.arange(16, dtype=np.float32).reshape(2, 8)
    np.savez(here / "branches" / "inputs.npz", x=x, flag=np.array(False))


def bound():
    """One row more than the walk says that there are at the most."""
    np.savez(here / "bound" / "inputs.npz", x=np.ones((513, 16), np.float32))


porter()
transformer()
reuse()
branches()
bound()
