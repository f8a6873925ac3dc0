opt {} --passes "LegalizeOps(only='main')"
