schedule {} --trace blockized.trace
schedule {} --trace tensorized.trace
schedule {} --trace sums-begin-in-tile.trace
schedule {} --trace other-intrinsic.trace
schedule {} --trace no-such-intrinsic.trace
schedule {} --trace tiles-end-beyond.trace
