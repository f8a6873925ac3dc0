opt {} --passes "LegalizeOps(), RewriteDataflowReshape()"
