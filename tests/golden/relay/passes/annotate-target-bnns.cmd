opt {} --passes "AnnotateTarget(targets='bnns', include_non_call_ops=False)"
