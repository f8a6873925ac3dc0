"""Writes the inputs and the expected outputs of this sample (NumPy only)."""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(4)


def draw(*shape):
    return rng.standard_normal(shape).astype(np.float32)


n, m = 3, 5
x, y, z = draw(n, 4), draw(n, 4), draw(m, n)
flat = x + y
scaled = (z.astype(np.float64) @ x * 0.5).astype(np.float32)
np.savez_compressed(here / "params.npz")
np.savez_compressed(here / "inputs.npz", x=x, y=y, z=z)
np.savez_compressed(here / "expected.npz", out_0=flat.reshape(n * 4), out_1=scaled)
# x says n = 3 and y says n = 5: refused before any kernel runs.
np.savez_compressed(here / "inputs_mismatch.npz", x=x, y=draw(5, 4), z=z)
# z has 4 columns where the match_cast asks for n = 3: fails at that binding.
np.savez_compressed(here / "inputs_bad_cast.npz", x=x, y=y, z=draw(m, 4))
