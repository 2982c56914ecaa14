# call: use()
def use():
    base = 2

    class Table:
        size = base + 1
        rows = [row for row in range(size)]

        def area(self):
            return self.size * base

    return Table.rows, Table().area()
