#!/usr/bin/env python3
"""Times apache-tvm reading and printing the module that bench_text generates, beside bench_text itself.

    time_tvm.py [BENCH_TEXT] [BINDINGS...]

Needs apache-tvm in this Python; without it only says so. Both are timed in this run, on this machine.
"""
import json
import subprocess
import sys
import time


def ours(bench, bindings):
    """Rates in bytes per second, by name."""
    names = ("parseAndVerify", "print")
    answer = subprocess.run(
        [bench, f"--benchmark_filter=^({'|'.join(names)})/{bindings}$", "--benchmark_format=json"],
        check=True, capture_output=True, text=True).stdout
    return {row["name"].split("/")[0]: row["bytes_per_second"] for row in json.loads(answer)["benchmarks"]}


def best(action, rounds=3):
    """Seconds of the fastest round, and what it gave."""
    fastest, value = None, None
    for _ in range(rounds):
        begin = time.perf_counter()
        value = action()
        seconds = time.perf_counter() - begin
        fastest = seconds if fastest is None else min(fastest, seconds)
    return fastest, value


def main():
    bench = sys.argv[1] if len(sys.argv) > 1 else "build/release/bench/bench_text"
    sizes = [int(size) for size in sys.argv[2:]] or [1000]
    try:
        import tvm
        from tvm.script import from_source
    except ImportError as error:
        sys.exit(f"time_tvm.py: apache-tvm is not installed here ({error})")
    print(f"{'bindings':>10} {'':>7} {'TVM ' + tvm.__version__:>14} {'relaxscope':>12} {'ratio':>8}   (MB/s)")
    for bindings in sizes:
        text = subprocess.run([bench, "--write", str(bindings)], check=True, capture_output=True, text=True).stdout
        rates = ours(bench, bindings)
        parsing, module = best(lambda: from_source(text), 1 if bindings > 1000 else 3)
        printing, printed = best(lambda: module.script(), 1 if bindings > 1000 else 3)
        for name, size, seconds, rate in (("parse", len(text), parsing, rates["parseAndVerify"]),
                                          ("print", len(printed), printing, rates["print"])):
            theirs = size / seconds
            print(f"{bindings:>10} {name:>7} {theirs / 1e6:>14.3f} {rate / 1e6:>12.1f} {rate / theirs:>7.0f}x")


if __name__ == "__main__":
    main()
