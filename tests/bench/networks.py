"""Stages of the networks that kernels.py writes and time_onnxruntime.py times."""

# Channels inside of a block, blocks, stride of the first.
RESNET50 = [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]
# How much wider a block is inside, channels behind it, blocks, stride of the first.
MOBILENET = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
