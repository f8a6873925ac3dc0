find {} --pattern "is_op("""relax.nn.softmax""")(wildcard())"
