opt {} --passes "Conv2dToSparse(weight_name=['w'], weight_shape=[[6, 4, 6, 3]], layout='NCHW', kernel_size=1)"
