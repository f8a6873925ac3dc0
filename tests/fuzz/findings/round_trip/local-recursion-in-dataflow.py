@I.ir_module
class M:
  @R.function
  def f(x: R.Tensor((3,), "float32")) -> R.Object:
    with R.dataflow():
     @R.function
     def h(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y = h(x)
        return x
     y = h(x)
     R.output(y)
    return (x, y)
