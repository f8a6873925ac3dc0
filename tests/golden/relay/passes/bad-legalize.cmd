opt {} --passes "Legalize(legalize_map_attr_name='FTVMQnnLegalise')"
