opt {} --passes "AnnotateCustomMemoryScope()"
