find {} --pattern "is_op("""relax.add""")(p0, (p0 := wildcard()))"
