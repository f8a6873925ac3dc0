opt {} --target cuda --passes "BindTarget(), VerifyMemory()"
