opt {} --passes "CanonicalizeBindings()"
