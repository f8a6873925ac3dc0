@R.function(pure=False)
def main(x: R.Tensor((3, 2), dtype="float32")) -> R.Object:
    y = (x, R.add)
    R.print(R.print, format="y = {}")
    z = R.add(x, R.add)
    w = R.call_packed("f", R.add)
    u = R.shape([R.add])
    return x
