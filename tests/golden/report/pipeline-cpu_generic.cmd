opt {} --passes cpu_generic
