opt {} --passes "CanonicalizeLoop()"
