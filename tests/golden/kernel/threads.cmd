kernel {} --target opencl --passes default --function k
kernel {} --target opencl --passes default --function k --as device
kernel {} --target opencl --passes default --function k --threads blockIdx.x=1,threadIdx.x=3
kernel {} --target opencl --passes default --function k --threads threadIdx.x=3 --statements 2
kernel {} --target opencl --passes default --function k --threads all
kernel {} --target opencl --passes default --function racing --threads all
kernel {} --target opencl --passes default --function outside --threads all
kernel {} --target opencl --passes default --function k --threads blockIdx.x=9
kernel {} --target opencl --passes default --function k --threads warp=7
kernel {} --target opencl --passes default --function k --threads threadIdx.w=1
kernel {} --target opencl --passes default --function k --threads all --launch 3
kernel {} --target llvm --passes default --function k --threads all
