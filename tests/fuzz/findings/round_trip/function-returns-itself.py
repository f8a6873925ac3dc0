@R.function
def main(x: R.Prim("handle")) -> R.Object:
    return main
