"""How much quicker two processors are than one: packages of the modules that kernels.py writes, wall clock, least of many runs.

    python tests/bench/time_threads.py build/release/bin/rxs FOLDER [CASE...]

FOLDER keeps the packages; those that are there are not built again. Needs NumPy, and a machine with nothing else to do.
"""
import os
import pathlib
import subprocess
import sys
import time

from packages import Package

SECONDS = 1.5
LARGE = ["matmul512", "matmul1024", "ragged", "conv3x3", "tall", "attention", "softmax", "layernorm", "depthwise", "transformer",
         "resnet50"]


def least(package, processors):
    """Milliseconds of the quickest run, where this process may use so many processors."""
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:processors]))
    package.start()
    quickest, end = float("inf"), time.time() + SECONDS
    while time.time() < end:
        start = time.perf_counter()
        package.run()
        quickest = min(quickest, (time.perf_counter() - start) * 1e3)
    return quickest


if sys.argv[1] == "--least":
    print(least(Package(None, pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])), int(sys.argv[4])))
else:
    rxs, folder, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] or LARGE
    subprocess.run([sys.executable, pathlib.Path(__file__).parent / "kernels.py", folder], check=True)
    cases = [(name, folder / f"{name}.py", folder / f"built_{name}") for name in names]
    for _, module, place in cases:
        Package(rxs, module, place)
    for name, module, place in cases:
        one, two = (float(subprocess.run([sys.executable, __file__, "--least", module, place, str(processors)], check=True,
                                         capture_output=True, text=True).stdout) for processors in (1, 2))
        print(f"{name:14} one {one:10.4f} ms  two {two:10.4f} ms  {one / two:.2f} times", flush=True)
