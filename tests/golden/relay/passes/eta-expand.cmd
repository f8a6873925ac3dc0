opt {} --passes "EtaExpand(expand_constructor=True, expand_global_var=True)"
