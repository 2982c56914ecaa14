# call: main(2)
def main(n):
    return n + 1
