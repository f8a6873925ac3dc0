"""Writes params.npz, inputs.npz and expected.npz of this sample (NumPy only)."""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(28)
# Values of a few bits keep the file small once compressed and change nothing about the arithmetic.
params = {
    "p_0": (rng.integers(-8, 9, (784, 128)) / 128).astype(np.float32),
    "p_1": (rng.integers(-8, 9, 128) / 64).astype(np.float32),
    "p_2": (rng.integers(-8, 9, (128, 10)) / 64).astype(np.float32),
    "p_3": (rng.integers(-8, 9, 10) / 64).astype(np.float32),
}
# Only positive evidence for class 7, so that the picture below gets a clear answer without any training.
params["p_2"][:, 7] = np.abs(params["p_2"][:, 7]) * 2
# A picture of a seven: a bar at the top and a slanted stroke.
x = np.zeros((1, 1, 28, 28), np.float32)
x[0, 0, 5:8, 6:22] = 1
for row in range(8, 24):
    column = 20 - (row - 8) // 2
    x[0, 0, row, column - 1 : column + 2] = 0.875

hidden = np.maximum(x.reshape(1, 784).astype(np.float64) @ params["p_0"] + params["p_1"], 0)
logits = hidden @ params["p_2"] + params["p_3"]
e = np.exp(logits - logits.max(-1, keepdims=True))
np.savez_compressed(here / "params.npz", **params)
np.savez_compressed(here / "inputs.npz", x=x)
np.savez_compressed(here / "expected.npz", out=(e / e.sum(-1, keepdims=True)).astype(np.float32))
