@I.ir_modul
class Module:
    @R.functon
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return x
