opt {} --passes "LegalizeOps(), CallTIRRewrite()" -o /dev/null
