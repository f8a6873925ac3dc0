schedule {} --trace many-rows.trace
schedule {} --trace no-such-choice.trace
schedule {} --trace no-threads.trace
schedule {} --trace narrow.trace
tune {} --database trials.jsonl --function prodact
tune {}
opt {} --passes "ApplySchedules(tuned=7)" --target llvm
