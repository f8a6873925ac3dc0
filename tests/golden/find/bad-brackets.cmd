find {} --pattern "is_op("""relax.add""")(wildcard(), is_const()"
