opt {} --passes "FuseOpsByPattern(patterns=[{'name': 'relu', 'pattern': 'is_op("""relax.nn.relu""")(wildcard())'}], annotate_codegen=True)"
