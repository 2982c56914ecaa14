class Counter {
    #hidden = 0;
    constructor(start) {
        this.count = start;
    }
    get twice() {
        return this.count * 2;
    }
    add(n = 1) {
        this.count += n;
        return this;
    }
}
class Named extends Counter {
    constructor(name) {
        const start = name.length;
        super(start);
        this.name = name;
    }
}
function* evens(n) {
    for (let i = 0; i < n; i++) {
        yield i * 2;
    }
}
function sum(...numbers) {
    let total = 0;
    for (const number of numbers) {
        if (number < 0) continue;
        total += number;
    }
    return total;
}
function divide(a, b) {
    if (b === 0) throw new RangeError('division by zero');
    return a / b;
}
function safely(f, ...args) {
    try {
        return f(...args);
    } catch ({ message }) {
        return message;
    } finally {
        args.length = 0;
    }
}
function classify(x) {
    switch (typeof x) {
        case 'number':
            let sign = x < 0 ? '-' : '+';
            return sign;
        case 'string':
            return 'text';
        default:
            return null;
    }
}
function loops(n) {
    var seen = [];
    let k = 0
    do {
        k += 1;
    } while (k < n)
    outer: for (const key in { a: 1, b: 2 }) {
        for (;;) {
            if (key === 'a') continue outer;
            break;
        }
        seen.push(key);
    }
    while (k > 0) k -= 2;
    return [k, seen];
}
function everything(n) {
    const named = new Named('abc').add().add(n);
    const { count, ...rest } = named;
    const counts = new Map([['a', { b: 1 }]]);
    const squares = [1, 2, 3].map(x => x * x).filter(x => {
        return x > 1;
    });
    const all = [...evens(2), sum(1, -1, 2), safely(divide, 1, 0), safely(divide, 1, 2)];
    return [named.twice, count, rest, squares, all, classify(1), classify('a'), loops(n), counts];
}
