opt {} --passes "SplitHostDevice()"
