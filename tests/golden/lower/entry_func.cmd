opt {} --passes "AnnotateEntryFunc()"
