@I.ir_module
class Module(BasePyModule):
    @I.pyfunc
    def preprocess(self, x):
        try:
            return torch.relu(x)
        except ValueError as e:
            raise RuntimeError(f"no: {e}")

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_py_func("preprocess", (x,), out_sinfo=R.Tensor((4,), "float32"))
        return y
