opt {} --passes "BindTarget()" --target "cuda -arch=sm_80 -max_threads_per_block=512 -libs=cublas,cudnn"
