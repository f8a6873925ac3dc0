opt {} --passes zero --explain -o /dev/null
