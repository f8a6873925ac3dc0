opt {} --passes "BindParams(func_name='main', params={'w': {'ndarray': [[1, 2]], 'dtype': 'int8'}})"
