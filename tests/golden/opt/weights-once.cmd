opt {} --passes "fused, AttachAttrLayoutFreeBuffers(only_with_weights=True), ApplySchedules(), SplitLayoutRewritePreproc(keep_names=True)" --target "llvm -mcpu=x86-64-v3"
