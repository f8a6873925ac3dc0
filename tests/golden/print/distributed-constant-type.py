@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2, 2), I.Range(0, 4))]})

    @R.function
    def main(x: R.DTensor((8, 8), "float32", "mesh[0]", "S[0], R")) -> R.DTensor((8, 8), "float32", "mesh[0]", "S[0], R"):
        y = R.add(x, R.dist.const(1.0, ty=R.DTensor((), "float32", "mesh[0]", "R, R")))
        return y
