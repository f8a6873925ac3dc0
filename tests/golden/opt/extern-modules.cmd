opt {} --passes "AttachExternModules()"
