find {} --pattern "is_op("""relax.nn.rleu""")(wildcard())"
