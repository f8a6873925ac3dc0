opt {} --passes "DenseToSparse(weight_name=['w'], weight_shape=[[6, 4, 1, 6, 3]])"
