opt {} --passes "ApplySchedules(rules=['host.Winograd'])" --target "llvm -mcpu=x86-64-v4"
