opt {} --passes "FoldVDeviceScopeChange()"
