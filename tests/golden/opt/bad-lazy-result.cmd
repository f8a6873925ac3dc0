opt {} --passes "LazyTransformParams()"
