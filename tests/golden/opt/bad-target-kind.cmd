opt {} --passes "BindTarget()" --target cudda
