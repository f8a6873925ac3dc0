"""Writes params.npz, inputs.npz and expected.npz of this sample (NumPy only).

Every product and every partial sum is rounded to float16, sums run in ascending k, as a float16 kernel does it.
"""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
half = np.float16
rng = np.random.default_rng(65504)
np.seterr(over="ignore", invalid="ignore")


def matmul(a, b):
    total = np.zeros((*a.shape[:-1], b.shape[-1]), half)
    for i in range(a.shape[-1]):
        total = total + a[..., :, i, None] * b[..., None, i, :]
        assert total.dtype == half
    return total


def total_of(a):
    total = np.zeros((*a.shape[:-1], 1), half)
    for i in range(a.shape[-1]):
        total = total + a[..., i : i + 1]
    return total


def heads(value):
    return value.reshape(-1, 4, 8).transpose(1, 0, 2)


def block(x, params):
    q, k, v = (heads(matmul(x, params[name])) for name in ("p_0", "p_1", "p_2"))
    scores = matmul(q, k.transpose(0, 2, 1))
    scaled = scores * half(8**-0.5)
    powers = np.exp((scaled - scaled.max(-1, keepdims=True)).astype(half))
    weights = powers / total_of(powers)
    mixed = matmul(weights, heads(matmul(x, params["p_2"])))
    return scores, matmul(mixed.transpose(1, 0, 2).reshape(-1, 32), params["p_3"])


params = {f"p_{i}": (rng.integers(-16, 17, (32, 32)) / 64).astype(half) for i in range(4)}
# Keys that look like their queries: a token far from zero has a large positive score with itself.
params["p_1"] = (params["p_0"] + rng.integers(-2, 3, (32, 32)) / 64).astype(half)
# Small values, so that the large token does not push the finite rows out of the range where a half is precise.
params["p_2"] = (params["p_2"] / 128).astype(half)
x = (rng.integers(-32, 33, (6, 32)) / 64).astype(half)
x[4] = x[4] * half(512)

scores, out = block(x, params)
assert np.isposinf(scores[:, 4, 4]).any() and np.isfinite(np.delete(scores, 4, axis=1)).all()
assert np.isnan(out[4]).all() and np.isfinite(np.delete(out, 4, axis=0)).all()
np.savez_compressed(here / "params.npz", **params)
np.savez_compressed(here / "inputs.npz", x=x)
np.savez_compressed(here / "expected.npz", out=out)
