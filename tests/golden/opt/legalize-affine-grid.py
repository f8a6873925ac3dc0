@I.ir_module
class Module:
    @R.function
    def corners(theta: R.Tensor((2, 3, 4), "float32")) -> R.Tensor((2, 3, 8, 16, 4), "float32"):
        gv = R.image.affine_grid(theta, size=(8, 16, 4), align_corners=True)
        return gv

    @R.function
    def middles(theta: R.Tensor((2, 2, 3), "float32")) -> R.Tensor((2, 2, 1, 4), "float32"):
        gv = R.image.affine_grid(theta, size=(1, 4), align_corners=False)
        return gv
