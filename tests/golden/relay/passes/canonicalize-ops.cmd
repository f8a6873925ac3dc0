opt {} --passes "CanonicalizeOps()"
