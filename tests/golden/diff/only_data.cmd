diff {} only_data.right
