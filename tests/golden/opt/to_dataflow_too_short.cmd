opt {} --passes "ConvertToDataflow(min_size=3)"
