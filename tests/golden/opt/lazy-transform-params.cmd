opt {} --passes "LazyTransformParams(fget_item='get')"
