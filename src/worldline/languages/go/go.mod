module worldline

go 1.19
