opt {} --passes "StubExternalCalls(names=['vendor.state'])"
