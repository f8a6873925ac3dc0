from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main():
        return R.hamming_window(0, True, 0.54, 0.46, "float32")
