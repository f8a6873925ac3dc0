"""Times of ONNX Runtime, one thread, for the cases of kernels.py and ResNet-18: processor time, median and least.

    pip install onnxruntime onnx numpy
    python tests/bench/time_onnxruntime.py [CASE...]
"""
import sys
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(0)
SECONDS = 2


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
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


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
    "softmax": lambda: rows("Softmax"),
    "layernorm": lambda: rows("LayerNormalization"),
}

for name in sys.argv[1:] or CASES:
    graph, result = CASES[name]()
    session = graph.session(result)
    given = {n: (RANDOM.standard_normal(s) * 0.1).astype(np.float32) for n, s in graph.inputs.items()}
    session.run(None, given)
    times, end = [], time.time() + SECONDS
    while time.time() < end:
        start = time.process_time()
        session.run(None, given)
        times.append((time.process_time() - start) * 1e3)
    print(f"{name:14} median {np.median(times):10.4f} ms  least {min(times):10.4f} ms", flush=True)
