# run: module
x = 1
raise SystemExit("bye")
