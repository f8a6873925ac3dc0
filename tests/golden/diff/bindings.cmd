diff {} bindings.right
