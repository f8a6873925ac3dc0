opt {} --passes "LazyTransformParams(fset_item=None)"
