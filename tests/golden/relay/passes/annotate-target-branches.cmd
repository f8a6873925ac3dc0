opt {} --passes "AnnotateTarget(targets=['a', 'b'], operators={'a': ['add', 'exp'], 'b': ['erf', 'tanh', 'add']})"
opt {} --passes "AnnotateTarget(targets=['a', 'b'], include_non_call_ops=False, operators={'a': ['add', 'exp'], 'b': ['erf', 'tanh', 'add']})"
