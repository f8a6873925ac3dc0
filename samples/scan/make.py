"""Writes the inputs and the expected output of this sample (NumPy only)."""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
x = (np.random.default_rng(16).integers(-8, 9, (4, 16)) / 4).astype(np.float32)
np.savez_compressed(here / "params.npz")
np.savez_compressed(here / "inputs.npz", x=x)
np.savez_compressed(here / "expected.npz", out=np.cumsum(x * x, axis=1, dtype=np.float32))
