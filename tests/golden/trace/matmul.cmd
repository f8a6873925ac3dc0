schedule {} --target cuda
