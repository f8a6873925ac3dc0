opt {} --passes "Inline(), ToANormalForm(), ToRelax(), LegalizeOps()" --explain -o /dev/null
