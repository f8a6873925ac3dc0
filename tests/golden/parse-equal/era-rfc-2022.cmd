equal {} {}
