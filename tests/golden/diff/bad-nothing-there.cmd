diff {} nothing-there.right
