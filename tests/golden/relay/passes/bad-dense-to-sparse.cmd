opt {} --passes "DenseToSparse(weight_name=['w'], weight_shape=[[6]])"
