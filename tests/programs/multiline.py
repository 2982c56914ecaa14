# call: use(2)
def add(
    a,
    b=1,
):
    return a + b


def use(n):
    total = add(
        n,
        add(
            n,
            5,
        ),
    )
    text = """one
    two"""
    if (
        total > 1
        and n
    ):
        total = (
            total
            + n
        )
    return [
        total,
        len(text),
    ]
