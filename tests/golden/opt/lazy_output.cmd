opt {} --passes "LazySetOutput()"
