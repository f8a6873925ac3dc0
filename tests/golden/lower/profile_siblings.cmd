opt {} --passes "InstrumentProfileIntrinsics()"
