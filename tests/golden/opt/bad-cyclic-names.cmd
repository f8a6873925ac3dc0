opt {} --passes "FuseOpsByPattern(patterns=[{'name': 'x.relu_add', 'pattern': 'is_op("""relax.add""")(is_op("""relax.nn.relu""")(wildcard()), wildcard())'}])"
