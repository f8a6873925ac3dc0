opt {} --passes "tvm.transform.Sequential([relax.transform.Normalize(), DeadCodeElimination()])"
