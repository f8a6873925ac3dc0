opt {} --passes "BindTarget()" --target "cuda -max_num_thread=256"
