@R.function
def main(f: R.Callable((R.Object,), R.Object, derive_func="tvm.relax.struct_info.infer_by_sinfo_args")) -> R.Object:
    return f
