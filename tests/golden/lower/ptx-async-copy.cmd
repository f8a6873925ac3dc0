opt {} --passes "InjectPTXAsyncCopy()"
