opt {} --passes "VMShapeLower()"
