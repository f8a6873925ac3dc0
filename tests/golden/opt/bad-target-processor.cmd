opt {} --passes "BindTarget()" --target x86-64-v9
