# What follows from a refused statement is not said again.
@I.ir_module
class Module:
    @R.function
    def unknown_name(x: R.Tensor((2, 3), "float32")):
        a = R.add(x, z)
        b = R.multiply(a, z)
        c = R.nn.relu(b)
        return c

    @R.function
    def no_output(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.add(a, x)
        return b

    @R.function
    def unread(x: R.Tensor((2, 3), "float32")):
        a = R.add(x x)
        return a

    @R.function
    def indented(x: R.Tensor((2, 3), "float32")):
        a = R.add(x, x)
          b = R.add(a, x)
        return b

    @R.function
    def field(x: R.Tensor((2, 3), "float32")):
        a = (x, x)
        b = a[2]
        return R.nn.relu(b)
