run {} --seed 3 --target opencl --against cpu
run {} --seed 3 --against abacus
run {} --precise --passes default
