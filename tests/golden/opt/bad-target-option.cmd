opt {} --passes "BindTarget(target=3)"
