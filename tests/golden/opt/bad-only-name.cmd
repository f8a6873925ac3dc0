opt {} --passes "LegalizeOps(only='mian')"
