opt {} --passes "AnnotateTarget(targets='dnnl'), MergeCompilerRegions(), PartitionGraph(mod_name='net')"
