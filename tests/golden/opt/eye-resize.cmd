opt {} --passes "LegalizeOps()"
