opt {} --passes "RaisePrecision(bindings=['scores'])"
