opt {} --passes "RemoveRedundantReshape()"
