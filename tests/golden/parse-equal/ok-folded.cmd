equal ok-folded.py ok-folded-plain.txt
