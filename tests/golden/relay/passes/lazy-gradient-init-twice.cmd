opt {} --passes "LazyGradientInit(), LazyGradientInit()"
