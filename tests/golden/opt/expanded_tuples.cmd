opt {} --passes "ExpandTupleArguments()"
