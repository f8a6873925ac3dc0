@I.ir_module
class M:
  @R.function
  def f(x: R.Tensor((3,), "float32")) -> R.Object:
     @R.function
     def h(x: R.Tensor((3,), "float32")) -> R.Object:
        y = h(x)
        return x
     y = h(x)
     return (x, y)
