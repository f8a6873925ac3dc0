# A function that nobody gives: an error where it is called first, and a note at each other call.
@I.ir_module
class Module:
    @R.function
    def side(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        s = R.call_dps_packed("my.missing", (x,), out_sinfo=R.Tensor((4,), "float32"))
        return s

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        a = R.call_dps_packed("my.missing", (x,), out_sinfo=R.Tensor((4,), "float32"))
        b = cls.side(a)
        return b
