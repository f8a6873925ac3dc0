kernel {} --target cuda --passes "ApplyDefaultSchedule(), default" --function main --step 3
kernel {} --target cuda --passes "ApplyDefaultSchedule(), default" --function main --step 4
kernel {} --target cuda --passes "ApplyDefaultSchedule(), default" --function main --step 99
kernel {} --target cuda --passes "ApplyDefaultSchedule(), default" --function main --step 1 --as tir
