opt {} --passes "BindTarget()" --target "cuda -arch=80"
