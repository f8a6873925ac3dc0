from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            v0 = R.add(x, x)
            v1 = R.add(v0, v0)
            v2 = R.add(v1, v1)
            v3 = R.add(v2, v2)
            v4 = R.add(v3, v3)
            v5 = R.add(v4, v4)
            v6 = R.add(v5, v5)
            v7 = R.add(v6, v6)
            v8 = R.add(v7, v7)
            v9 = R.add(v8, v8)
            v10 = R.add(v9, v9)
            v11 = R.add(v10, v10)
            v12 = R.add(v11, v11)
            v13 = R.add(v12, v12)
            v14 = R.add(v13, v13)
            v15 = R.add(v14, v14)
            v16 = R.add(v15, v15)
            v17 = R.add(v16, v16)
            v18 = R.add(v17, v17)
            v19 = R.add(v18, v18)
            v20 = R.add(v19, v19)
            v21 = R.add(v20, v20)
            v22 = R.add(v21, v21)
            v23 = R.add(v22, v22)
            v24 = R.add(v23, v23)
            v25 = R.add(v24, v24)
            v26 = R.add(v25, v25)
            v27 = R.add(v26, v26)
            v28 = R.add(v27, v27)
            v29 = R.add(v28, v28)
            v30 = R.add(v29, v29)
            v31 = R.add(v30, v30)
            v32 = R.add(v31, v31)
            v33 = R.add(v32, v32)
            v34 = R.add(v33, v33)
            v35 = R.add(v34, v34)
            v36 = R.add(v35, v35)
            v37 = R.add(v36, v36)
            v38 = R.add(v37, v37)
            v39 = R.add(v38, v38)
            R.output(v39)
        return v39
