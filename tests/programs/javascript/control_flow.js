// Programs whose control flow the tests compare with its graph; each comment is a call.
// call: loops(5)
// call: jumps()
// call: sw(1) + sw(2) + sw(3) + sw(9)
// call: errors(0) + errors(1) + errors(2) + errors(3)
// call: deep()
// call: gen()
// call: classes()
// call: callbacks([3, 1, 2])
// call: exprs(1, null)
// call: uncaught(0)
// call: asyncs()
// call: rec(4)
// call: nested()
// call: oneline(3)
// call: silent(1)
// call: memo()
function loops(n) {
  let total = 0;
  for (let i = 0; i < n; i++) {
    if (i % 2 === 0) {
      continue;
    }
    total += i;
  }
  for (const x of [1, 2, 3]) total += x;
  for (const k in { a: 1, b: 2 }) {
    total += k.length;
    if (total > 100) break;
  }
  let j = 0;
  while (j < 3) {
    j++;
    if (j === 2) continue;
    total += j;
  }
  do {
    j--;
  } while (
    j > 0
  );
  for (;;) {
    if (j++ > 2) break;
  }
  for (const [a, b] of [[1, 2], [3, 4]]) {
    total += a * b;
  }
  return total;
}
function jumps() {
  const out = [];
  outer: for (const a of [1, 2, 3]) {
    for (let b = 0; b < 3; b++) {
      if (b === 1 && a === 1) continue outer;
      if (a === 3) break outer;
      out.push([a, b]);
    }
  }
  block: {
    out.push(1);
    if (out.length > 2) break block;
    out.push(2);
  }
  lab: while (true) {
    do {
      if (out.length > 6) break lab;
      out.push(0);
      continue lab;
    } while (true);
  }
  return out;
}
function sw(x) {
  let r = 0;
  switch (x) {
    case 1:
      r += 1;
    case 2:
      r += 2;
      break;
    case 3: {
      r += 3;
      break;
    }
    default:
      r = 100;
  }
  switch (r) { case 3: return 1; case 2: r = 7; }
  return r;
}
function errors(k) {
  let r = '';
  try {
    if (k === 0) throw new Error('zero');
    r += thrower(k);
  } catch (e) {
    r += e.message;
    if (k === 2) {
      return r;
    }
  } finally {
    r += 'f';
  }
  try {
    r += 'a';
    if (k === 3) return r + 'early';
  } finally {
    r += 'b';
  }
  for (const x of [1, 2]) {
    try {
      if (x === 1) continue;
      r += x;
    } finally {
      r += 'c';
    }
  }
  try {
    null.x;
  } catch {
    r += 'd';
  }
  return r;
}
function thrower(k) {
  if (k > 0) {
    throw new RangeError('big');
  }
  return k;
}
function deep() {
  const log = [];
  try {
    try {
      thrower(1);
    } finally {
      log.push('inner');
    }
  } catch ({ message }) {
    log.push(message);
  }
  return log;
}
function* count(n) {
  for (let i = 0; i < n; i++) {
    const got = yield i;
    if (got) return got;
  }
}
function gen() {
  const out = [];
  for (const x of count(3)) {
    out.push(x);
  }
  const g = count(5);
  g.next();
  g.next('a');
  const [p, q] = [...count(2)];
  return [out, p, q];
}
class Base {
  constructor(x) {
    this.x = x;
  }
  get double() {
    return this.x * 2;
  }
  set double(v) {
    this.x = v / 2;
  }
  toString() {
    return `Base(${this.x})`;
  }
  static make(x) {
    return new this(x);
  }
}
class Derived extends Base {
  y = 3;
  constructor(x) {
    super(x + 1);
    this.z = () => this.x;
  }
  add(n) {
    return super.toString() + n + this.z();
  }
}
function classes() {
  const d = Derived.make(2);
  d.double = 10;
  const s = `${d}`;
  return d.add(1) + d.double + s;
}
function callbacks(xs) {
  const by = (a, b) => a - b;
  const sorted = [...xs].sort(by);
  const total = xs
    .map((x) => x * 2)
    .filter((x) => {
      return x > 2;
    })
    .reduce((a, b) => a + b, 0);
  xs.forEach(function (x) {
    sorted.push(x);
  });
  const compose = (f, g) => (x) => f(g(x));
  const h = compose((x) => x + 1, (x) => x * 2);
  const o = { m(x) { return x; }, f: (x) =>
    x + 1 };
  return [sorted, total, h(3), o.m(1) + o.f(2), 'abc'.replace(/b/, (m) => m.toUpperCase())];
}
function exprs(a, b) {
  const c = a > 0
    ? loops(1)
    : loops(2);
  const d = b
    && loops(1);
  const e = b ?? thrower(0);
  const f = b?.x.y(loops(1));
  let g = 1; g += 1; const h = g;
  let i; i ||= thrower(0);
  return [c, d, e, f, g, h, i];
}
function uncaught(x) {
  const r = uncaught2(x);
  return r;
}
function uncaught2(x) {
  return x.y.z;
}
async function work(x) {
  const y = await x;
  return y;
}
function asyncs() {
  const p = work(1);
  return 1;
}
function rec(n) {
  if (n <= 1) return 1;
  return n * rec(n - 1);
}
function nested() {
  function inner(x) {
    return x + 1;
  }
  const later = function (x) { return inner(x); };
  if (inner(1) > 1) { later(1); } else later(2);
  return later(3);
}
function oneline(n) { let r = 0; for (let i = 0; i < n; i++) r += i; while (r > 2) r--; if (r) return r; return 0; }
function silent(k) {
  try {
    try {
      thrower(k);
    } catch (e) {
      throw new TypeError('again');
    } finally {
      k = 5;
    }
  } catch (e) {
    return k;
  }
}
const cache = new Map();
function memo() {
  const make = (n) => {
    if (cache.has(n)) return cache.get(n);
    const v = n < 2 ? n : make(n - 1) + make(n - 2);
    cache.set(n, v);
    return v;
  };
  return make(5);
}
