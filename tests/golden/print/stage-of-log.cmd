print {} --stage "after my own pass"
