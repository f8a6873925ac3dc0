opt {} --passes "FlattenAtrousConv()"
