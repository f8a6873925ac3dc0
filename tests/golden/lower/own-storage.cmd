opt {} --passes "StorageRewrite()"
