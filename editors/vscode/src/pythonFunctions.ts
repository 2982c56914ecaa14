/** A function at the top level of a Python file. */
export interface PythonFunction {
  name: string;
  /** From 0. */
  line: number;
  /** The last line of its body, from 0. */
  lastLine: number;
}

const HEAD = /^(?:async\s+)?def\s+([\p{L}_][\p{L}\p{N}_]*)\s*\(/u;
const CALL = /^#\s*call:\s*(.+?)\s*$/;

/** The functions at the top level; those in classes need an object and have no call of their own. */
export function topLevelFunctions(text: string): PythonFunction[] {
  const lines = text.split(/\r?\n/);
  const found: PythonFunction[] = [];
  lines.forEach((content, line) => {
    const name = HEAD.exec(content)?.[1];
    if (name !== undefined) {
      found.push({ name, line, lastLine: lastLineOfBody(lines, line) });
    }
  });
  return found;
}

function lastLineOfBody(lines: readonly string[], start: number): number {
  let last = start;
  for (let line = start + 1; line < lines.length; line++) {
    const content = lines[line] ?? "";
    // The closing parenthesis of a long head is not indented.
    if (/^[^\s#)]/.test(content)) {
      break;
    }
    if (/^[\s)]+\S/.test(content) || content.startsWith(")")) {
      last = line;
    }
  }
  return last;
}

/** The call of a function that a comment names: `# call: f(1)`. */
export function callInComment(text: string, name: string): string | undefined {
  const calls = text.split(/\r?\n/).map((line) => CALL.exec(line)?.[1]);
  return calls.find((call) => call?.startsWith(`${name}(`));
}
