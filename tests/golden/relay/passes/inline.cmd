opt {} --passes "Inline()"
