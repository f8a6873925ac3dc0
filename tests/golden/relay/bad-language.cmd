opt {} --passes "ToRelax(), ToBasicBlockNormalForm()"
