opt {} --passes "BundleModelParams(param_tuple_name='weights')"
