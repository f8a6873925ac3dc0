# A function as a value is read before what uses it. One that is a value of its own body, or in a circle of functions,
# keeps the result that it was declared with, and so does a local function that its own body names.
@I.ir_module
class Module:
    @R.function
    def chosen(x: R.Tensor((3,), "float32")) -> R.Object:
        return (Module.middle, x)

    @R.function
    def middle(x: R.Tensor((3,), "float32")):
        return Module.last

    @R.function
    def last(x: R.Tensor((3,), "float32")) -> R.Object:
        return x

    @R.function
    def circle(x: R.Tensor((3,), "float32")) -> R.Object:
        return Module.around

    @R.function
    def around(x: R.Tensor((3,), "float32")) -> R.Object:
        return Module.circle

    @R.function
    def called_only(x: R.Tensor((3,), "float32")) -> R.Object:
        y = Module.called_later(x)
        return (x, y)

    @R.function
    def called_later(x: R.Tensor((3,), "float32")) -> R.Object:
        return x

    @R.function
    def itself(x: R.Tensor((3,), "float32")):
        return (x, Module.itself)

    @R.function
    def local(x: R.Tensor((3,), "float32")) -> R.Object:
        @R.function
        def named(a: R.Tensor((3,), "float32")) -> R.Object:
            b = named(a)
            return a

        @R.function
        def unnamed(a: R.Tensor((3,), "float32")) -> R.Object:
            return a

        c = named(x)
        d = unnamed(x)
        return (c, d)

    @R.function
    def flow(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        with R.dataflow():
            @R.function
            def named(a: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
                b = named(a)
                return b

            y = named(x)
            R.output(y)
        return y
