diff {} bindings.py
