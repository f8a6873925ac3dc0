opt {} --passes "EliminateCommonSubexpr(), relay.ToANormalForm(), ToRelax(), LegalizeOps(), FoldConstant()"
