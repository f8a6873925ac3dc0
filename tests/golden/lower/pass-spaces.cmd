opt {} --passes "CanonicalizeLoop(), s_tir.LowerInitBlock()" --disable s_tir.CanonicalizeLoop
