opt {} --passes "FakeQuantizationToInteger()"
