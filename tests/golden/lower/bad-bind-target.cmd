opt {} --passes "BindTarget()"
