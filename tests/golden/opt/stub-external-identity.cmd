opt {} --passes "StubExternalCalls(names=['vendor.scale', 'vendor.kept'], value='identity')"
