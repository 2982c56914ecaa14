# run: module
# stdin: '2\n3 4\r\nlast'
import sys

n = int(input("n? "))
pair = input().split()
print(n, *pair, sep="-", end=";\n")
rest = sys.stdin.read()
print("lost", file=sys.stderr)
sys.stdout.write(rest)
try:
    input()
except EOFError:
    print()
