opt {} --passes zero
