opt {} --passes "ThreadSync(storage_scope='shared')"
