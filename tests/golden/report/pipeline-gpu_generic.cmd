opt {} --passes gpu_generic --target cuda
