opt {} --passes "DispatchSortScan(), ApplySchedules(rules=['host.Lines'])" --target llvm
opt {} --passes "DispatchSortScan(), ApplySchedules(rules=['host.Elementwise'])" --target llvm
