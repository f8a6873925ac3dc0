opt {} --passes "CanonicalizeCast()"
