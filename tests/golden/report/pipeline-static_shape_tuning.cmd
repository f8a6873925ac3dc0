opt {} --passes static_shape_tuning
