print {} --stage FuseTIR
