#!/usr/bin/env python3
"""Times the passes that lower kernels, those of apache-tvm beside ours of the same names, pass by pass.

    time_tvm_lowering.py [RXS] [MODULE.py]

Both lower the kernels that LegalizeOps makes of the module (default: samples/resnet18) through the passes of s_tir, for
the same target, each its own text of them; every figure is the fastest of some rounds. Needs apache-tvm in this Python;
without it only says so.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROUNDS = 5


def passes():
    """What a module for a host goes through before MakePackedAPI: names of TVM's transforms and our options."""
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lowering.def")
    with open(table, encoding="utf-8") as file:
        return re.findall(r'^RX_LOWERED\((\w+), "(.*?)"', file.read(), re.MULTILINE)


PASSES = passes()
TARGET = {"kind": "llvm", "host": "llvm"}


def ours(rxs, kernels):
    """Milliseconds by pass, in order; the fastest round of each."""
    calls = ", ".join(f"{name}({options})" for name, options in PASSES)
    best = None
    for _ in range(ROUNDS):
        answer = subprocess.run(
            [rxs, "opt", kernels, "--no-verify-each", "--json", "-o", os.devnull, "--passes",
             f"BindTarget(target={TARGET}), {calls}"], check=True, capture_output=True, text=True).stdout
        steps = [step["milliseconds"] for step in json.loads(answer)["passes"][1:]]
        best = steps if best is None else [min(pair) for pair in zip(best, steps)]
    return best


def theirs(tvm, text):
    from tvm import s_tir, tirx
    from tvm.script import from_source

    def made(name, options):
        space = s_tir.transform if hasattr(s_tir.transform, name) else tirx.transform
        return getattr(space, name)(*(int(option.split("=")[1]) for option in options.split(", ") if option))

    target = tvm.target.Target(dict(TARGET))
    bound = tirx.transform.BindTarget(target)(from_source(text))
    best = None
    for _ in range(ROUNDS):
        module, steps = bound, []
        for row in PASSES:
            lowering = made(*row)
            begin = time.perf_counter()
            module = lowering(module)
            steps.append((time.perf_counter() - begin) * 1e3)
        best = steps if best is None else [min(pair) for pair in zip(best, steps)]
    return best


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    rxs = sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, "build", "release", "bin", "rxs")
    source = sys.argv[2] if len(sys.argv) > 2 else os.path.join(root, "samples", "resnet18", "module.py")
    try:
        import tvm
    except (ImportError, OSError) as error:
        sys.exit(f"time_tvm_lowering.py: apache-tvm is not installed here ({error})")
    with tempfile.TemporaryDirectory() as folder:
        kernels = os.path.join(folder, "kernels.py")
        subprocess.run([rxs, "opt", source, "--passes", "LegalizeOps(), AttachGlobalSymbol()", "-o", kernels], check=True)
        with open(kernels, encoding="utf-8") as file:
            text = file.read()
        mine, other = ours(rxs, kernels), theirs(tvm, text)
    print(f"{'':<40} {'TVM ' + tvm.__version__:>12} {'relaxscope':>12}   (ms)")
    for row, here, there in zip(PASSES, mine, other):
        print(f"{row[0]:<40} {there:>12.2f} {here:>12.2f} {there / max(here, 1e-3):>7.1f}x")
    print(f"{'all':<40} {sum(other):>12.2f} {sum(mine):>12.2f} {sum(other) / sum(mine):>7.1f}x")


if __name__ == "__main__":
    main()
