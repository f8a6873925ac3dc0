@I.ir_module
class M:
  @R.function
  def f(x: R.Tensor((3,), "float32")) -> R.Object:
     @R.function
     def h(y: R.Tensor((3,), "float32")) -> R.Object:
        return M.f
     return h
