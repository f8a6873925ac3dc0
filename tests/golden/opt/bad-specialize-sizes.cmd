opt {} --passes "SpecializePrimFuncBasedOnCallSite()"
