opt {} --passes "LegalizeOps(), ApplySchedules(rules=['host.Nothing'])" --target llvm
