opt {} --passes "InstrumentBoundCheckers()"
