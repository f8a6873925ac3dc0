opt {} --passes cuda --target cuda
