"""Modules built by rxs, called over the C interface; parameters of other names than x, y and z are weights."""
import ctypes
import re
import subprocess

import numpy as np


class Tensor(ctypes.Structure):
    """rxs_tensor of rxs_package.h, float32."""

    _fields_ = [("data", ctypes.c_void_p), ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_int64 * 64)]


class Package:
    """One in a folder of its own, which keeps it: it is built where it is not there yet."""

    def __init__(self, rxs, module, folder):
        signature = re.search(r"def main\((.*?)\)\s*(->.*?)?:\n", module.read_text(), re.S).group(1)
        params = {n: [int(d) for d in s.split(",") if d.strip()]
                  for n, s in re.findall(r"(\w+): R\.Tensor\(\(([^)]*)\)", signature)}
        random = np.random.default_rng(0)
        arrays = {n: (np.abs(random.standard_normal(s)) * 0.1 + 0.01).astype(np.float32) for n, s in params.items()}
        self.path = folder / "package"
        if not (self.path / "manifest.json").exists():
            folder.mkdir(exist_ok=True)
            weights = {n: array for n, array in arrays.items() if n not in "xyz"}
            np.savez(folder / "weights.npz", **weights)
            bound = ["--bind-params", "--params", str(folder / "weights.npz")] if weights else []
            subprocess.run([rxs, "build", str(module), "-o", str(self.path), *bound], check=True, stdout=subprocess.DEVNULL)
        self.given = [array for n, array in arrays.items() if n in "xyz"]
        self.tensors = (Tensor * len(self.given))()
        for tensor, array in zip(self.tensors, self.given):
            tensor.data, tensor.rank, tensor.code, tensor.bits, tensor.lanes = array.ctypes.data, array.ndim, 2, 32, 1
            tensor.shape[:array.ndim] = array.shape
        self.outputs, self.count = ctypes.POINTER(Tensor)(), ctypes.c_int32()

    def open(self):
        """From the file to a session."""
        self.library = ctypes.CDLL(str(self.path / "libmodel.so"))
        self.session = ctypes.c_void_p()
        assert self.library.rxs_open(None, ctypes.byref(self.session)) == 0

    def run(self):
        failed = self.library.rxs_run(self.session, b"main", self.tensors, len(self.tensors),
                                      ctypes.byref(self.outputs), ctypes.byref(self.count))
        assert failed == 0, "the package failed"
