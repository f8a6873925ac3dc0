"""Writes the arrays of the walks that bring their own (NumPy)."""
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


def reuse():
    """What the module of reuse/ computes where no storage is used twice too early."""
    x = np.arange(40, dtype=np.float32).reshape(5, 8)
    np.savez(here / "reuse" / "inputs.npz", x=x)
    np.savez(here / "reuse" / "expected.npz", out=(x + np.float32(0.25)) + (x + np.float32(0.125)))


def bound():
    """One row more than the walk says that there are at the most."""
    np.savez(here / "bound" / "inputs.npz", x=np.ones((513, 16), np.float32))


porter()
reuse()
bound()
