opt {} --passes "InjectPTXLDG32()"
