opt {} --passes "SplitLayoutRewritePreproc()"
