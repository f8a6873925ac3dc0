@I.ir_module
class Module:
    @R.function
    def main(theta: R.Tensor((2, 2, 3), "float32")) -> R.Object:
        gv = R.image.affine_grid(theta, size=(8, 16, 4))
        return gv

    @R.function
    def line(theta: R.Tensor((2, 1, 2), "float32")) -> R.Object:
        gv = R.image.affine_grid(theta, size=(8,))
        return gv
