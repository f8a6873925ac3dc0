find {} --pattern "is_op("""relax.nn.relu""")(is_op("""relax.add""")(wildcard(), wildcard()))"
