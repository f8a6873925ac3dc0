opt {} --passes "EtaExpand()"
