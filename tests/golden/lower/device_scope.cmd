opt {} --passes "DecorateDeviceScope()"
