# The mask of the lower right corner is shifted by the difference of two lengths, whichever is larger.
@R.function
def main(
    q: R.Tensor((1, "m", 2, 8), "float32"), k: R.Tensor((1, "n", 2, 8), "float32"), v: R.Tensor((1, "n", 2, 8), "float32")
) -> R.Tensor((1, "m", 2, 8), "float32"):
    m = T.int64()
    n = T.int64()
    gv = R.nn.attention(q, k, v, causal_mask="BottomRight")
    return gv
