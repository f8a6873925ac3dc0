kernel {} --target "llvm -mcpu=x86-64-v3"
kernel {} --target "llvm -mcpu=x86-64-v3" --function fused_matmul_add_relu --as tir
kernel {} --target "llvm -mcpu=x86-64-v3" --function fused_matmul_add_relu --as scheduled
kernel {} --target "llvm -mcpu=x86-64-v3" --function fused_matmul_add_relu --as lowered
kernel {} --target "llvm -mcpu=x86-64-v3" --function main
kernel {} --target "llvm -mcpu=x86-64-v3" --function fused_matmul_add_rely
kernel {} --target "llvm -mcpu=x86-64-v3" --function matmul
kernel {} --target "llvm -mcpu=x86-64-v3" --function fused_matmul_add_relu
