opt {} --passes gpu_generic
