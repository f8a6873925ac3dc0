"""Writes params.npz, inputs.npz and expected.npz of this sample (NumPy only)."""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(24)
data = (rng.integers(-16, 17, (1, 3, 16, 16)) / 16).astype(np.float32)
params = {
    "p_0": (rng.integers(-16, 17, (8, 3, 3, 3)) / 32).astype(np.float32),  # kernel, OIHW
    "p_1": (1 + rng.integers(-8, 9, 8) / 16).astype(np.float32),  # gamma
    "p_2": (rng.integers(-8, 9, 8) / 16).astype(np.float32),  # beta
    "p_3": (rng.integers(-8, 9, 8) / 16).astype(np.float32),  # moving mean
    "p_4": (1 + rng.integers(0, 9, 8) / 8).astype(np.float32),  # moving variance
}
padded = np.pad(data.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
conv = np.einsum("nchwij,ocij->nohw", windows, params["p_0"].astype(np.float64))


def channel(name):
    return params[name].astype(np.float64).reshape(1, 8, 1, 1)


normal = (conv - channel("p_3")) / np.sqrt(channel("p_4") + 1e-5) * channel("p_1") + channel("p_2")
np.savez_compressed(here / "params.npz", **params)
np.savez_compressed(here / "inputs.npz", data=data)
np.savez_compressed(here / "expected.npz", out=np.maximum(normal, 0).astype(np.float32))
