opt {} --passes "DynamicToStatic()"
