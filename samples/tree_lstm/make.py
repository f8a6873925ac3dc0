"""Writes the inputs, the weights and the expected outputs of this sample (nothing but Python)."""
import math
import pathlib
import random
import struct
import zipfile

here = pathlib.Path(__file__).parent
rng = random.Random(5)


def matrix(rows, columns):
    return [[rng.randrange(-8, 9) / 16 for _ in range(columns)] for _ in range(rows)]


def dense(x, w):
    return [sum(a * b for a, b in zip(x, row)) for row in w]


def plus(*vectors):
    return [sum(values) for values in zip(*vectors)]


def each(function, x):
    return [function(v) for v in x]


def times(a, b):
    return [x * y for x, y in zip(a, b)]


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


words, w, u, w_f, u_f = matrix(5, 4), matrix(12, 4), matrix(12, 4), matrix(4, 4), matrix(4, 4)


def encode(tree):
    x, children = words[tree[0]], [encode(child) for child in tree[1]]
    zeros = [0.0] * 4
    gates = plus(dense(x, w), dense(plus(zeros, *[h for h, _ in children]), u))
    i, o, g = gates[:4], gates[4:8], gates[8:]
    kept = zeros
    for h, c in children:
        kept = plus(kept, times(each(sigmoid, plus(dense(x, w_f), dense(h, u_f))), c))
    c = plus(times(each(sigmoid, i), each(math.tanh, g)), kept)
    return times(each(sigmoid, o), each(math.tanh, c)), c


def npy(rows):
    flat = [v for row in rows for v in row]
    head = repr({"descr": "<f4", "fortran_order": False, "shape": (len(rows), len(rows[0]))}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(flat)}f", *flat)


def write(name, **arrays):
    with zipfile.ZipFile(here / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, rows in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{key}.npy", (2020, 1, 1, 0, 0, 0)), npy(rows))


hidden, cell = encode((0, [(1, [(3, []), (4, [])]), (2, [])]))
write("inputs.npz", words=words)
write("params.npz", w=w, u=u, w_f=w_f, u_f=u_f)
write("expected.npz", out_0=[hidden], out_1=[cell])
