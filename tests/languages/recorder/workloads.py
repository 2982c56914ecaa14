"""Programs to measure tracers with; each is called by `main()`."""

WORKLOADS = {
    "numeric loop": """
def main():
    total = 0
    step = 3
    for number in range(20_000):
        if number % step:
            total += number * 2
        else:
            total -= number
    return total
""",
    "string building": """
def main():
    for turn in range(20):
        text = ""
        for number in range(60):
            word = f"w{number}"
            text = text + word[::-1].upper()
            if text.endswith("W"):
                text = text.replace("W", "w")
    return text
""",
    "recursion": """
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)

def main():
    return fib(17)
""",
    "containers of 100": """
def main():
    items = list(range(100))
    counts = {number: 0 for number in range(100)}
    for turn in range(1_500):
        place = turn * 7 % 100
        items[place] += 1
        counts[place] = items[place]
        items.append(items.pop(0))
    return items
""",
    "classes": """
class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount
        return self.balance

    def move(self, other, amount):
        if amount <= self.balance:
            self.deposit(-amount)
            other.deposit(amount)
        return amount

def main():
    first, second = Account("a", 100), Account("b", 50)
    for turn in range(1_500):
        amount = turn % 9
        first.move(second, amount)
        second.move(first, amount)
    return first.balance
""",
}
