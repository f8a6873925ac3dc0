opt {} --passes "LegalizeOps(), ApplySchedules(rules='host.Products')" --target llvm
