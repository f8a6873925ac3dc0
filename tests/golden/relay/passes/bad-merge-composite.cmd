opt {} --passes "MergeComposite(patterns=[{'name': 'dnnl.relu', 'pattern': """is_op('nn.rellu')(wildcard())"""}])"
