opt {} --passes "Normalize()]"
