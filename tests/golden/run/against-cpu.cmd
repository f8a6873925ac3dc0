run {} --seed 3 --target opencl --against cpu
