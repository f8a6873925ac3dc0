opt {} --passes "RaisePrecision(bindings=['kernel', 'nowhere'])"
