"""How much quicker two processors are than one: packages of the modules that kernels.py writes, wall clock.

What a processor does in a second is not the same from one second to the next where a machine is shared or warms up. So one
processor, the other, both, and each beside the other take turns, each for a moment: of each moment the median of its runs
counts, and of all turns the median of the ratios; their quartiles stand beside it. "At most" is how much two processes do,
each on a processor of its own, of what one does alone; of what waits for memory that is less than twice. The second has a copy
of the package: of the same file both would read the same memory, and one would find in the shared cache what the other has
fetched.

    python tests/bench/time_threads.py build/release/bin/rxs FOLDER [CASE...]

FOLDER keeps the packages; those that are there are not built again. Needs NumPy, and a machine with nothing else to do.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

from packages import Package

SECONDS, TURNS = 0.15, 15
LARGE = ["matmul512", "matmul1024", "ragged", "conv3x3", "tall", "attention", "softmax", "layernorm", "depthwise", "transformer",
         "resnet50"]


def moments(package, processors):
    """Answers each line that is read with the milliseconds of a run, where this process may use these processors, by their
    places among those that it has."""
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {allowed[place] for place in processors})
    package.open()
    package.run()
    for _ in sys.stdin:
        times, end = [], time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            start = time.perf_counter()
            package.run()
            times.append((time.perf_counter() - start) * 1e3)
        print(statistics.median(times), flush=True)


def started(module, place, processors):
    return subprocess.Popen([sys.executable, __file__, "--moments", module, place, *map(str, processors)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)


def timed(*processes):
    """The mean of what processes say that run at the same time."""
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    return statistics.mean(float(process.stdout.readline()) for process in processes)


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


if sys.argv[1] == "--moments":
    moments(Package(None, pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])), list(map(int, sys.argv[4:])))
else:
    rxs, folder, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] or LARGE
    subprocess.run([sys.executable, pathlib.Path(__file__).parent / "kernels.py", folder], check=True)
    cases = [(name, folder / f"{name}.py", folder / f"built_{name}") for name in names]
    for _, module, place in cases:
        Package(rxs, module, place)
    for name, module, place in cases:
        copy = folder / f"copy_{name}"
        shutil.copytree(place, copy, dirs_exist_ok=True)
        first, second, both = started(module, place, [0]), started(module, copy, [1]), started(module, place, [0, 1])
        for process in (first, second, both):
            timed(process)
        turns = []
        for _ in range(TURNS):
            one = (timed(first) + timed(second)) / 2
            turns.append((one, timed(both), timed(first, second)))
        for process in (first, second, both):
            process.stdin.close()
            process.wait()
        one, two = (statistics.median(turn[i] for turn in turns) for i in range(2))
        print(f"{name:14} one {one:10.4f} ms  two {two:10.4f} ms  {quartiles([turn[0] / turn[1] for turn in turns])} times, at most "
              f"{quartiles([2 * turn[0] / turn[2] for turn in turns])}", flush=True)
