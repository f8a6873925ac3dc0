opt {} --passes "FoldExplicitPadding()"
