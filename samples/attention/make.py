"""Writes params.npz, inputs.npz and expected.npz of this sample (NumPy only)."""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(32)
params = {f"p_{i}": (rng.integers(-16, 17, (32, 32)) / 64).astype(np.float32) for i in range(4)}
x = (rng.integers(-32, 33, (6, 32)) / 32).astype(np.float32)


def heads(value):
    return value.reshape(-1, 4, 8).transpose(1, 0, 2)


wide = x.astype(np.float64)
q, k, v = (heads(wide @ params[name]) for name in ("p_0", "p_1", "p_2"))
scores = q @ k.transpose(0, 2, 1) * np.float64(np.float32(8**-0.5))
e = np.exp(scores - scores.max(-1, keepdims=True))
weights = e / e.sum(-1, keepdims=True)
out = (weights @ v).transpose(1, 0, 2).reshape(-1, 32) @ params["p_3"]
np.savez_compressed(here / "params.npz", **params)
np.savez_compressed(here / "inputs.npz", x=x)
np.savez_compressed(here / "expected.npz", out=out.astype(np.float32))
