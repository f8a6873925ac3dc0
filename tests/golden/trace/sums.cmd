schedule {} --trace tiled.trace
schedule {} --trace older.trace --func main
schedule {} --target "llvm -mcpu=x86-64-v3"
schedule {} --target cuda --rule gpu.Transpose
