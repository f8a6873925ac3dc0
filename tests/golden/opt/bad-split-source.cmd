opt {} --passes "SplitCallTIRByPattern(patterns=[], source='void f();')"
