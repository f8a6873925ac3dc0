opt {} --passes "LazyGradientInit()"
