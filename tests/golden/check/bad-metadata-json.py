metadata = tvm.ir.load_json("""{
  \"root_index\": 4,
  \"nodes\": [
    {
      \"type\": \"ffi.String\",
      \"data\": \"a \\\"quoted\\\" text\",,
    }
  ]
}""")

@R.function
def main() -> R.Object:
    a = metadata["relax.expr.Constant"][0]
    b = metadata["relax.expr.Constant"][1]
    return a
