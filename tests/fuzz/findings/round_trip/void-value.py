@T.prim_func(private=True, s_tir=True)
def main():
    for j in T.serial(0, 10):
        B = c()
