/** Parser of rendered Python values: containers become trees, everything else is an atom. */

/** A number, a string, an object: anything that is not taken apart. */
export interface Atom {
  kind: "atom";
  text: string;
}

/** A container, or a call such as `Counter({'a': 1})` and `Point(x=1, y=2)`. */
export interface Container {
  kind: "list" | "tuple" | "dict" | "set" | "call";
  /** The text before the items: "[", "Counter(". */
  open: string;
  items: Item[];
  text: string;
}

export interface Item {
  /** The key of a dict, or the name of an argument; null otherwise. */
  key: string | null;
  value: PythonValue;
}

export type PythonValue = Atom | Container;

/** Longer texts, and deeper ones, are not parsed. */
const MAX_CHARS = 200_000;
const MAX_DEPTH = 100;
const CLOSING: Record<string, string> = { "[": "]", "(": ")", "{": "}" };
const CALL = /[A-Za-z_][\w.]*\(/y;
const STRING = /[bBrRuU]{0,2}(?:'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*")/y;
const ARGUMENT = /([A-Za-z_]\w*)=(?!=)/y;
const ATOM = /[^\s,:()[\]{}'"<>=]+/y;
const SPACE = /\s*/y;

/** "{'a': [1, 2]}" -> a dict with one item, a list; null if the text is not a complete container. */
export function parseContainer(text: string): Container | null {
  if (text.length > MAX_CHARS || !/[\])}]\s*$/.test(text)) return null;
  const parser = new Parser(text);
  try {
    const value = parser.value(0);
    return value.kind !== "atom" && parser.isAtEnd() ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

class Parser {
  private position = 0;

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    this.match(SPACE);
    return this.position === this.text.length;
  }

  value(depth: number): PythonValue {
    if (depth > MAX_DEPTH) throw new SyntaxError("too deep");
    this.match(SPACE);
    const start = this.position;
    const first = this.text[start] ?? "";
    if (first === "<") return this.object(start);
    const call = this.match(CALL);
    if (call) return this.container("call", call, ")", start, depth);
    if (this.match(STRING)) return this.atom(start);
    if (first in CLOSING) {
      this.position++;
      const kind = first === "[" ? "list" : first === "(" ? "tuple" : "dict";
      return this.container(kind, first, CLOSING[first] ?? "", start, depth);
    }
    if (!this.match(ATOM)) throw new SyntaxError("no value");
    return this.atom(start);
  }

  private container(kind: Container["kind"], open: string, close: string, start: number, depth: number): PythonValue {
    const items: Item[] = [];
    let hasComma = false;
    let hasKey = kind === "dict";
    for (;;) {
      this.match(SPACE);
      if (this.text[this.position] === close) break;
      const item = this.item(kind, depth);
      if (kind === "dict" && items.length === 0) hasKey = item.key !== null;
      items.push(item);
      this.match(SPACE);
      if (this.text[this.position] === ",") {
        hasComma = true;
        this.position++;
      } else if (this.text[this.position] !== close) throw new SyntaxError("no end");
    }
    this.position++;
    const text = this.text.slice(start, this.position);
    // (1+2j) is a number.
    if (kind === "tuple" && items.length === 1 && !hasComma) return { kind: "atom", text };
    return { kind: kind === "dict" && !hasKey ? "set" : kind, open, items, text };
  }

  private item(kind: Container["kind"], depth: number): Item {
    const name = kind === "call" ? this.match(ARGUMENT) : null;
    if (name !== null) return { key: name.slice(0, -1), value: this.value(depth + 1) };
    const value = this.value(depth + 1);
    this.match(SPACE);
    if (kind !== "dict" || this.text[this.position] !== ":") return { key: null, value };
    this.position++;
    return { key: value.text, value: this.value(depth + 1) };
  }

  /** <function f at 0x7f01>, <class 'list'> */
  private object(start: number): Atom {
    let depth = 0;
    for (; this.position < this.text.length; this.position++) {
      const character = this.text[this.position];
      if (character === "<") depth++;
      if (character === ">" && --depth === 0) {
        this.position++;
        return this.atom(start);
      }
    }
    throw new SyntaxError("no end");
  }

  private atom(start: number): Atom {
    return { kind: "atom", text: this.text.slice(start, this.position) };
  }

  /** Consumes what a sticky pattern matches here; null if it does not match. */
  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.position;
    const text = pattern.exec(this.text)?.[0] ?? null;
    if (text !== null) this.position += text.length;
    return text;
  }
}
