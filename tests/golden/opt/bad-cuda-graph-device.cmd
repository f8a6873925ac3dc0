opt {} --passes "RewriteCUDAGraph()" --config "{"""relax.backend.use_cuda_graph""": true}"
