print --as ptx --target "cuda -arch=sm_80" {}
print --as opencl --target cuda {}
print --as ptx --target "cuda -arch=sm_20" {}
