opt {} --passes "RaisePrecision(bindings=['nowhere'])"
