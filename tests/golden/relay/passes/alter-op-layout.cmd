opt {} --passes "AlterOpLayout()"
