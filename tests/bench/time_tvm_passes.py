#!/usr/bin/env python3
"""Times the passes of apache-tvm on the chains of bench_passes, beside the times in passes.def.

    time_tvm_passes.py BINDINGS [ROUNDS [PASS...]]

Seconds of the processor, the fewest of some rounds, so that a busy machine matters little; what a pass gave is released
outside the time. Needs apache-tvm in this Python; without it only says so. For 10,000 bindings TVM needs a stack
without a limit (`ulimit -s unlimited`).
"""
import os
import re
import sys
import time


def rows():
    """Name, pipeline before it, and the milliseconds that stand in the table."""
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "passes.def")
    with open(table, encoding="utf-8") as file:
        found = re.findall(r'^RX_TIMED\((\w+), ([\d.]+), ([\d.]+),((?:\s*"[^"]*")+)\)', file.read(), re.MULTILINE)
    return [(name, "".join(re.findall(r'"([^"]*)"', before)), float(small), float(large))
            for name, small, large, before in found]


def chain(bindings):
    calls = ("R.matmul({}, w)", "R.add({}, w)", "R.nn.gelu({})", "R.permute_dims({})")
    tensor = 'R.Tensor((64, 64), "float32")'
    lines = ["@I.ir_module", "class Module:", "    @R.function", f"    def main(x: {tensor}, w: {tensor}):",
             "        with R.dataflow():"]
    last = "x"
    for i in range(bindings):
        lines.append(f"            lv{i} = {calls[i % 4].format(last)}")
        last = f"lv{i}"
    return "\n".join(lines + [f"            R.output({last})", f"        return {last}", ""])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    bindings, rounds, asked = int(sys.argv[1]), int((sys.argv + ["3"])[2]), sys.argv[3:]
    try:
        import tvm
        from tvm import relax
        from tvm.script import from_source
    except (ImportError, OSError) as error:
        sys.exit(f"time_tvm_passes.py: apache-tvm is not installed here ({error})")
    sys.setrecursionlimit(10**6)
    made = {"": from_source(chain(bindings))}

    def before(pipeline):
        if pipeline not in made:
            rest, _, last = pipeline.rpartition(", ")
            made[pipeline] = getattr(relax.transform, last)()(before(rest))
        return made[pipeline]

    print(f"{'':<34} {'TVM ' + tvm.__version__:>12} {'passes.def':>12}   (ms for {bindings} bindings)")
    with tvm.transform.PassContext(opt_level=3), tvm.target.Target("llvm"):
        for name, pipeline, small, large in rows():
            if asked and name not in asked:
                continue
            module, lowering = before(pipeline), getattr(relax.transform, name)()
            best = None
            for _ in range(rounds):
                begin = time.process_time()
                given = lowering(module)
                spent = (time.process_time() - begin) * 1e3
                best = spent if best is None else min(best, spent)
                del given
            print(f"{name:<34} {best:>12.1f} {large if bindings > 5000 else small:>12.1f}", flush=True)


if __name__ == "__main__":
    main()
