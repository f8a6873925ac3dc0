opt {} --passes "AnnotateTarget(targets=['dnnl'])"
