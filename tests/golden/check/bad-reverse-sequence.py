@R.function
def main(x: R.Tensor((4, 2, 3), "float32"), n: R.Tensor((3,), "int64"), f: R.Tensor((4,), "float32")) -> R.Object:
    y = R.reverse_sequence(x, n)
    z = R.reverse_sequence(x, f)
    w = R.reverse_sequence(x, n, seq_axis=5)
    return y
