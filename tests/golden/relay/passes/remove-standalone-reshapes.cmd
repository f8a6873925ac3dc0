opt {} --passes "RemoveStandaloneReshapes()"
