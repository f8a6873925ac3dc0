opt {} --passes "MergeCompilerRegions()"
