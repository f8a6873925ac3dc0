opt {} --passes "InlinePrivateFunctions()"
