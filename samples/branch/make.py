"""Writes the inputs and the expected outputs of this sample (NumPy only)."""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(7)
x = (rng.integers(-8, 9, (2, 8)) / 8).astype(np.float32)
p_0 = (rng.integers(-8, 9, (4, 4)) / 16).astype(np.float32)


def expected(flag):
    y = (x + x if flag else x * np.float32(0.5)).reshape(4, 4)
    moved = y + p_0
    wide = moved.astype(np.float64)
    cube = (wide @ wide @ wide).astype(np.float32)
    return {"out_0": moved, "out_1": cube, "out_2": np.array(cube.shape, np.int64)}


np.savez_compressed(here / "params.npz", p_0=p_0)
np.savez_compressed(here / "inputs.npz", x=x, flag=np.array(True))
np.savez_compressed(here / "expected.npz", **expected(True))
# The other branch.
np.savez_compressed(here / "inputs_false.npz", x=x, flag=np.array(False))
np.savez_compressed(here / "expected_false.npz", **expected(False))
