opt {} --passes "relay.FoldConstan()"
