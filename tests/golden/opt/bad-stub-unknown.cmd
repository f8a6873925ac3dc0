opt {} --passes "StubExternalCalls(names=['vendor.other'])"
