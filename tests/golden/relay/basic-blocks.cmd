opt {} --passes "relay.ToBasicBlockNormalForm()"
