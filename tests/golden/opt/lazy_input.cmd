opt {} --passes "LazyGetInput()"
