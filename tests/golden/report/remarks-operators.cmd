opt {} --passes "FuseOps()" --remarks -o /dev/null
opt {} --passes "LegalizeOps(), FuseOps()" --remarks -o /dev/null
opt {} --passes "CallTIRRewrite()" --remarks -o /dev/null
