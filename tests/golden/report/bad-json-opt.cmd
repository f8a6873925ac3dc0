opt {} --json --passes NoSuchPass
