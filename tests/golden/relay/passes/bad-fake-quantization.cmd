opt {} --passes "FakeQuantizationToInteger(hard_fail=True)"
