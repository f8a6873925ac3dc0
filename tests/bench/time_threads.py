"""How much quicker two processors are than one: packages of the modules that kernels.py writes, wall clock, least of many runs.

Beside it what they can give at the most: how much two processes do, each on a processor of its own, of what one does alone; of
what waits for memory that is less than twice. The second has a copy of the package: of the same file both would read the same
memory, and one would find in the shared cache what the other has fetched.

    python tests/bench/time_threads.py build/release/bin/rxs FOLDER [CASE...]

FOLDER keeps the packages; those that are there are not built again. Needs NumPy, and a machine with nothing else to do.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import time

from packages import Package

SECONDS = 1.5
LARGE = ["matmul512", "matmul1024", "ragged", "conv3x3", "tall", "attention", "softmax", "layernorm", "depthwise", "transformer",
         "resnet50"]


def least(package, processors):
    """Milliseconds of the quickest run, where this process may use these processors, by their places among those that it has."""
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {allowed[place] for place in processors})
    package.open()
    quickest, end = float("inf"), time.time() + SECONDS
    while time.time() < end:
        start = time.perf_counter()
        package.run()
        quickest = min(quickest, (time.perf_counter() - start) * 1e3)
    return quickest


def started(module, place, processors):
    return subprocess.Popen([sys.executable, __file__, "--least", module, place, *map(str, processors)], stdout=subprocess.PIPE,
                            text=True)


def timed(*processes):
    """The mean of what processes say that run at the same time."""
    said = [process.communicate()[0] for process in processes]
    return sum(map(float, said)) / len(said)


if sys.argv[1] == "--least":
    print(least(Package(None, pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])), list(map(int, sys.argv[4:]))))
else:
    rxs, folder, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] or LARGE
    subprocess.run([sys.executable, pathlib.Path(__file__).parent / "kernels.py", folder], check=True)
    cases = [(name, folder / f"{name}.py", folder / f"built_{name}") for name in names]
    for _, module, place in cases:
        Package(rxs, module, place)
    for name, module, place in cases:
        one = timed(started(module, place, [0]))
        two = timed(started(module, place, [0, 1]))
        copy = folder / f"copy_{name}"
        shutil.copytree(place, copy, dirs_exist_ok=True)
        beside = timed(started(module, place, [0]), started(module, copy, [1]))
        print(f"{name:14} one {one:10.4f} ms  two {two:10.4f} ms  {one / two:.2f} times, at most {2 * one / beside:.2f}", flush=True)
