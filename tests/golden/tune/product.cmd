schedule {} --target "llvm -mcpu=x86-64-v3"
schedule {} --trace rows.trace
kernel {} --target "llvm -mcpu=x86-64-v3" --tuned damaged.jsonl
