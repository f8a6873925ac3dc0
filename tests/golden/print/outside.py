# In a lone function an undefined callee is a function of the outside: also as a statement.
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    fill(x)
    y: R.Tensor((2,), "float32") = copy(x)
    return y
