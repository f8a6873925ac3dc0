diff {} signature.right
