@I.ir_module
class M:
  @R.function
  def zf(x: R.Tensor((3,), "float32")) -> R.Object:
     return M.g
  @R.function
  def g(x: R.Tensor((3,), "float32")) -> R.Object:
     return x
