opt {} --passes "FuseOpsByPattern(patterns=[{'name': 'dnnl.relu', 'pattern': 'is_op("""relax.nn.relu""")(wildcard())', 'annotation_patterns': {'root': 'conv'}}])"
