@R.function(pure=False)
def main(x: R.Tensor((4,), "float32")):
    _ = R.print(x, format=f"value {x}")
    return x
