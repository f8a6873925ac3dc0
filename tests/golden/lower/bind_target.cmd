opt {} --target nvidia/jetson-orin-nano --passes "BindTarget()"
