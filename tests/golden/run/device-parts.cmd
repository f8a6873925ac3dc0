run {} --seed 1 --target opencl
