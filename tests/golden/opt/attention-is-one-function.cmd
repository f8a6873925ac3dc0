opt {} --passes "FuseAttention()"
