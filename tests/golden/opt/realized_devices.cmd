opt {} --passes "RealizeVDevice()"
