opt {} --passes "StubExternalCalls(names=['vendor.scale', 'vendor.pack'])"
