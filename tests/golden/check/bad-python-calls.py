# Nothing of this is run.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        a = eval("R.add(x, x)")
        exec("import os")
        __import__("os").system("id")
        f = open("/etc/hostname")
        subprocess.run(["id"])
        return x
