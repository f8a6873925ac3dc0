opt {} --passes "BindTarget()" --target "cuda sm_80"
