opt {} --passes "tirx.InlinePrivateFunctions()"
