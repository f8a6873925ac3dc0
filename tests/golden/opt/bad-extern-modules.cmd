opt {} --passes "AttachExternModules(extern_modules=['kernels.o'])"
