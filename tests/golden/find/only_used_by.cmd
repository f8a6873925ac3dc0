find {} --pattern "is_op("""relax.matmul""")(wildcard(), wildcard()) >> is_op("""relax.add""")(wildcard(), wildcard())"
