@R.function
def (x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return x
