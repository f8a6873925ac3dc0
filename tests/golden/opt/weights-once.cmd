opt {} --passes "fused, AttachAttrLayoutFreeBuffers(only_with_weights=True), ApplySchedules(), SplitLayoutRewritePreproc()" --target "llvm -mcpu=x86-64-v3"
