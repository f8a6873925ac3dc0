@R.function
def main():
    return R.const([1, 2], "int32x4")
