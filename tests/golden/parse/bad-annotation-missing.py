@R.function
def main(x, y):
    z = R.add(x, y)
    return z
