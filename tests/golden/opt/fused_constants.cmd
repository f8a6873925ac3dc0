opt {} --passes "FuseOpsByPattern(patterns=[{'name': 'x.scale', 'pattern': 'is_op("""relax.multiply""")(wildcard(), is_const())'}])"
