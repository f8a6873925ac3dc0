opt {} --passes "ConvertToDataflow()"
