# run: module
data = [1]
data[5]
