opt {} --passes cuda
