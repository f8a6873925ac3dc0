@I.ir_module
class M:
  @R.function
  def f(x: R.Tensor((3,), "float32")) -> R.Object:
     a = M.g
     b = (a, M.g)
     return x
  @R.function
  def g(x: R.Tensor((3,), "float32")) -> R.Object:
     return x
