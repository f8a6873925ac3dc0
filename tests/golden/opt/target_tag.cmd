opt {} --passes "BindTarget()" --target nvidia/geforce-rtx-3070
