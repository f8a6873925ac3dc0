opt {} --passes "FuseOpsByPattern(patterns=[{'name': 'dnnl.relu', 'pattern': 'is_op("""relax.nn.rleu""")(wildcard())'}])"
