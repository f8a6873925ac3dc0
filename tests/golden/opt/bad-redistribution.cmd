opt {} --passes "LegalizeRedistribute()"
