opt {} --passes "RemoveWeightLayoutRewriteBlock()"
