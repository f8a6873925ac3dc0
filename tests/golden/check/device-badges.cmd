check {} --target cuda
