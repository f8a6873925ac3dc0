"""Times of ONNX Runtime, one thread, for the cases of kernels.py and ResNet-18: processor time, median and least.

    pip install onnxruntime onnx numpy
    python tests/bench/time_onnxruntime.py [CASE...]
    python tests/bench/time_onnxruntime.py --beside build/release/bin/rxs [CASE...]
    python tests/bench/time_onnxruntime.py --starts build/release/bin/rxs [CASE...]   # of that the table of starts alone

With --beside, the modules that kernels.py writes are built as packages, weights bound, and run in this process in turns
with ONNX Runtime: the median and the least of each, their ratios, and the geometric mean of the ratios. Behind them a
table of starts, each in a process of its own, medians of several: what a session takes to be made and to give its first
result, and a package from its file to its first result, with what of that is a run like those that follow. A start is to
take at most as long as two sessions take to be made; where a run alone takes longer no start can, and the table says so.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime
from networks import MOBILENET, RESNET50
from onnx import TensorProto, helper, numpy_helper
from packages import Package

RANDOM = np.random.default_rng(0)
SECONDS = 2
STARTS = 7


class Graph:
    """Nodes and weights of one model."""

    def __init__(self, shape):
        self.inputs, self.nodes, self.weights, self.count = {"x": shape}, [], [], 0

    def weight(self, *shape):
        self.count += 1
        self.weights.append(numpy_helper.from_array((RANDOM.standard_normal(shape) * 0.1).astype(np.float32), f"w{self.count}"))
        return f"w{self.count}"

    def shape(self, *sizes):
        self.count += 1
        self.weights.append(numpy_helper.from_array(np.array(sizes, np.int64), f"s{self.count}"))
        return f"s{self.count}"

    def __call__(self, operator, *inputs, **attributes):
        self.count += 1
        self.nodes.append(helper.make_node(operator, list(inputs), [f"v{self.count}"], **attributes))
        return f"v{self.count}"

    def session(self, result):
        info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in self.inputs.items()]
        out = helper.make_tensor_value_info(result, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "case", info, [out], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        text = model.SerializeToString()
        start = time.process_time_ns()
        session = onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"])
        self.created = (time.process_time_ns() - start) / 1e6
        return session


def product(m, k, n):
    g = Graph([m, k])
    g.inputs["y"] = [k, n]
    return g, g("MatMul", "x", "y")


def matvec():
    g = Graph([1, 4096])
    return g, g("MatMul", "x", g.weight(4096, 4096))


def convolution():
    g = Graph([1, 64, 56, 56])
    return g, g("Conv", "x", g.weight(64, 64, 3, 3), pads=[1, 1, 1, 1])


def perceptron(batch):
    g = Graph([batch, 256])
    value = "x"
    for i, (k, n) in enumerate([(256, 512), (512, 512), (512, 128)]):
        value = g("Add", g("MatMul", value, g.weight(k, n)), g.weight(n))
        if i < 2:
            value = g("Relu", value)
    return g, value


def transformer():
    g = Graph([1, 128, 512])

    def dense(value, k, n):
        return g("Add", g("MatMul", value, g.weight(k, n)), g.weight(n))

    def heads(value, order):
        return g("Transpose", g("Reshape", dense(value, 512, 512), g.shape(1, 128, 8, 64)), perm=order)

    q, k, v = (heads("x", order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scale = g.weight(1)
    attended = g("MatMul", g("Softmax", g("Mul", g("MatMul", q, k), scale), axis=-1), v)
    joined = g("Reshape", g("Transpose", attended, perm=[0, 2, 1, 3]), g.shape(1, 128, 512))
    value = g("LayerNormalization", g("Add", "x", dense(joined, 512, 512)), g.weight(512), g.weight(512))
    hidden = dense(g("Gelu", dense(value, 512, 2048)), 2048, 512)
    return g, g("LayerNormalization", g("Add", value, hidden), g.weight(512), g.weight(512))


def resnet18():
    g = Graph([1, 3, 224, 224])

    def conv(value, channels, filters, kernel, stride):
        made = g("Conv", value, g.weight(filters, channels, kernel, kernel), pads=[kernel // 2] * 4, strides=[stride] * 2)
        rest = [g.weight(filters) for _ in range(3)]
        variance = numpy_helper.from_array(np.ones(filters, np.float32), f"variance{g.count}")
        g.weights.append(variance)
        return g("BatchNormalization", made, *rest, variance.name)

    value = g("Relu", conv("x", 3, 64, 7, 2))
    value = g("MaxPool", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for filters, stride in [(64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)]:
        kept = value if stride == 1 and channels == filters else conv(value, channels, filters, 1, stride)
        inner = g("Relu", conv(value, channels, filters, 3, stride))
        value = g("Relu", g("Add", conv(inner, filters, filters, 3, 1), kept))
        channels = filters
    value = g("Flatten", g("GlobalAveragePool", value))
    return g, g("Add", g("MatMul", value, g.weight(512, 1000)), g.weight(1000))


class Network(Graph):
    """Of convolutions with biases."""

    def conv(self, value, channels, filters, kernel, stride=1, groups=1):
        weight, bias = self.weight(filters, channels // groups, kernel, kernel), self.weight(filters)
        return self("Conv", value, weight, bias, pads=[kernel // 2] * 4, strides=[stride] * 2, group=groups)

    def classified(self, value, channels):
        value = self("Flatten", self("GlobalAveragePool", value))
        return self("Add", self("MatMul", value, self.weight(channels, 1000)), self.weight(1000))


def resnet50():
    g = Network([1, 3, 224, 224])
    value = g("MaxPool", g("Relu", g.conv("x", 3, 64, 7, 2)), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for inner, blocks, first in RESNET50:
        for block in range(blocks):
            stride = first if block == 0 else 1
            kept = g.conv(value, channels, 4 * inner, 1, stride) if block == 0 else value
            made = g("Relu", g.conv(value, channels, inner, 1))
            made = g("Relu", g.conv(made, inner, inner, 3, stride))
            value = g("Relu", g("Add", g.conv(made, inner, 4 * inner, 1), kept))
            channels = 4 * inner
    return g, g.classified(value, channels)


def mobilenet():
    g = Network([1, 3, 224, 224])
    low, high = (numpy_helper.from_array(np.array(bound, np.float32), f"bound{bound}") for bound in (0, 6))
    g.weights += [low, high]

    def relu6(value):
        return g("Clip", value, low.name, high.name)

    value, channels = relu6(g.conv("x", 3, 32, 3, 2)), 32
    for widened, filters, blocks, first in MOBILENET:
        for block in range(blocks):
            stride, inner = first if block == 0 else 1, channels * widened
            made = relu6(g.conv(value, channels, inner, 1)) if widened > 1 else value
            made = g.conv(relu6(g.conv(made, inner, inner, 3, stride, groups=inner)), inner, filters, 1)
            value = g("Add", made, value) if stride == 1 and channels == filters else made
            channels = filters
    return g, g.classified(relu6(g.conv(value, channels, 1280, 1)), 1280)


def decoder():
    g = Graph([1, 1, 1024])
    g.inputs |= {"y": [1, 16, 64, 255], "z": [1, 16, 255, 64]}
    scale = g.weight(1)

    def product(value, k, n):
        return g("MatMul", value, g.weight(k, n))

    def norm(value):
        return g("LayerNormalization", value, g.weight(1024), g.weight(1024))

    value = "x"
    for _ in range(2):
        given = norm(value)
        q, k, v = (g("Reshape", product(given, 1024, 1024), g.shape(1, 16, *sizes)) for sizes in [(1, 64), (64, 1), (1, 64)])
        scores = g("Mul", g("MatMul", q, g("Concat", "y", k, axis=3)), scale)
        attended = g("MatMul", g("Softmax", scores, axis=-1), g("Concat", "z", v, axis=2))
        value = g("Add", value, product(g("Reshape", attended, g.shape(1, 1, 1024)), 1024, 1024))
        given = norm(value)
        gate = product(given, 1024, 2816)
        hidden = g("Mul", g("Mul", gate, g("Sigmoid", gate)), product(given, 1024, 2816))
        value = g("Add", value, product(hidden, 2816, 1024))
    return g, value


def rows(operator):
    g = Graph([1024, 4096])
    if operator == "Softmax":
        return g, g(operator, "x", axis=-1)
    return g, g(operator, "x", g.weight(4096), g.weight(4096))


def attention():
    g = Graph([8, 512, 64])
    g.inputs["y"] = [8, 64, 512]
    g.inputs["z"] = [8, 512, 64]
    scores = g("Mul", g("MatMul", "x", "y"), g.weight(1))
    return g, g("MatMul", g("Softmax", scores, axis=-1), "z")


def depthwise():
    g = Graph([1, 128, 56, 56])
    return g, g("Conv", "x", g.weight(128, 1, 3, 3), pads=[1, 1, 1, 1], group=128)


def tall():
    g = Graph([4, 4096])
    return g, g("MatMul", "x", g.weight(4096, 11008))


CASES = {
    "attention": attention,
    "depthwise": depthwise,
    "tall": tall,
    "matmul512": lambda: product(512, 512, 512),
    "matmul1024": lambda: product(1024, 1024, 1024),
    "ragged": lambda: product(1000, 777, 333),
    "conv3x3": convolution,
    "matvec4096": matvec,
    "mlp64": lambda: perceptron(64),
    "mlp1": lambda: perceptron(1),
    "transformer": transformer,
    "resnet18": resnet18,
    "resnet50": resnet50,
    "mobilenet": mobilenet,
    "decoder": decoder,
    "softmax": lambda: rows("Softmax"),
    "layernorm": lambda: rows("LayerNormalization"),
}

def worked(run):
    start = time.process_time_ns()
    run()
    return (time.process_time_ns() - start) / 1e6


def given_to(graph):
    return {n: (RANDOM.standard_normal(s) * 0.1).astype(np.float32) for n, s in graph.inputs.items()}


def package_of(rxs, name, modules):
    module = pathlib.Path("samples/resnet18/module.py") if name == "resnet18" else modules / f"{name}.py"
    return Package(rxs, module, modules / f"built_{name}")


def start(which, rxs, name, modules):
    """What this process has to do first: milliseconds until it is ready, until the first result, and of a run behind it."""
    if which == "package":
        package = package_of(rxs, name, modules)
        ready, run = worked(package.open), package.run
    else:
        graph, result = CASES[name]()
        small = Graph([1, 8])
        small.session(small("Softmax", "x"))  # what the library itself needs to start
        session, given = graph.session(result), given_to(graph)
        ready, run = graph.created, lambda: session.run(None, given)
    print(json.dumps([ready, ready + worked(run), np.median([worked(run) for _ in range(9)])]))


def started(which, rxs, name, modules):
    words = [sys.executable, __file__, "--start", which, rxs, name, str(modules)]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def table_of_starts(names, rxs, modules):
    print(f"{'milliseconds':14} {'session':>8} {'result':>8} {'run':>8}   {'package':>8} {'result':>8} {'run':>8}   "
          f"{'to 2 sessions':>13} {'to result':>9} {'less a run':>10}", flush=True)
    to_sessions, to_results = [], []
    for name in names:
        turns = [(started("session", rxs, name, modules), started("package", rxs, name, modules)) for _ in range(STARTS)]
        session, package = (np.median([turn[i] for turn in turns], axis=0) for i in range(2))
        to_sessions.append(package[1] / 2 / session[0])
        to_results.append(package[1] / session[1])
        why = ", a run alone takes longer than two sessions" if package[2] > 2 * session[0] else ""
        print(f"{name:14} {session[0]:8.3f} {session[1]:8.3f} {session[2]:8.3f}   {package[0]:8.3f} {package[1]:8.3f} "
              f"{package[2]:8.3f}   {to_sessions[-1]:13.3f} {to_results[-1]:9.3f} {package[1] - package[2]:10.3f}{why}", flush=True)
    print(f"geometric means: to two sessions {np.exp(np.mean(np.log(to_sessions))):.3f}, "
          f"a first result to a first result {np.exp(np.mean(np.log(to_results))):.3f}")


arguments, beside, only_starts = sys.argv[1:], None, False
if arguments[:1] == ["--start"]:
    start(*arguments[1:4], pathlib.Path(arguments[4]))
    sys.exit()
scratch = tempfile.TemporaryDirectory()
if arguments[:1] in (["--beside"], ["--starts"]):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one thread of each
    only_starts, beside, arguments = arguments[0] == "--starts", arguments[1], arguments[2:]
    modules = pathlib.Path(scratch.name)
    subprocess.run([sys.executable, pathlib.Path(__file__).parent / "kernels.py", modules], check=True)
names, ratios, least = arguments or list(CASES), [], []
for name in [] if only_starts else names:
    graph, result = CASES[name]()
    session, given = graph.session(result), given_to(graph)
    runs = {"onnxruntime": lambda: session.run(None, given)}
    if beside:
        package = package_of(beside, name, modules)
        package.open()
        runs["package"] = package.run
    times = {which: [] for which in runs}
    for run in runs.values():
        run()
    end = time.time() + SECONDS
    while time.time() < end or len(times["onnxruntime"]) < 5:
        for which, run in runs.items():
            times[which].append(worked(run))
    for which, taken in times.items():
        print(f"{name:14} {which:12} median {np.median(taken):10.4f} ms  least {min(taken):10.4f} ms", flush=True)
    if beside:
        ratios.append(np.median(times["package"]) / np.median(times["onnxruntime"]))
        least.append(min(times["package"]) / min(times["onnxruntime"]))
        print(f"{name:14} ratio of medians {ratios[-1]:.3f}, of the least {least[-1]:.3f}", flush=True)
if ratios:
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.3f}, of the least {np.exp(np.mean(np.log(least))):.3f}")
if beside:
    table_of_starts(names, beside, modules)
