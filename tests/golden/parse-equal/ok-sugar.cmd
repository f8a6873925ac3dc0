equal ok-sugar.py ok-sugar-plain.txt
