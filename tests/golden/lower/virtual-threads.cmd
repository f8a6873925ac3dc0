opt {} --passes "InjectVirtualThread()"
