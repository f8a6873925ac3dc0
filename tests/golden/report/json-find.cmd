find {} --json --pattern "is_op('relax.add')(wildcard(), wildcard())"
