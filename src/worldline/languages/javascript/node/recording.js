// The recording of one program: rows for the steps, written as they happen.
//
// The file and its rows are those of recorder/recording_protocol.py: the length of the complete rows
// in the first eight bytes, the rows from byte 64 on.
import fs from "node:fs";
import { render } from "./render.js";

const FIRST_ROW = 64;
// Stands for a variable that is not initialised.
export const MISSING = Symbol("missing");

// Calls that the tracer itself needs, to record the steps of a function.
const STACK_RESERVE = 400;

function descend(depth) {
  return depth === 0 ? 0 : 1 + descend(depth - 1);
}

export class Recording {
  /**
   * @param {number} file The descriptor of the file for the rows.
   * @param limits The limits of the recording.
   * @param tables The functions and sites of the instrumented program.
   * @param {string} secret What only the tracer can write at the end.
   * @param finish Called with a reason to end the process.
   */
  constructor(file, limits, tables, secret, finish) {
    this.secret = secret;
    this.file = file;
    this.limits = limits;
    this.functions = tables.functions;
    this.sites = tables.sites;
    this.finish = finish;
    this.isOn = false;
    this.steps = 0;
    this.scopes = 0;
    this.bytes = 0;
    this.length = Buffer.alloc(8);
    this.scopeOf = new Map();
    // The program's own class: an error of the tracer's realm would not be an instance of it.
    this.RangeError = RangeError;
  }

  // -- rows ------------------------------------------------------------------------------------

  write(row) {
    const data = Buffer.from(`${JSON.stringify(row)}\n`);
    fs.writeSync(this.file, data, 0, data.length, FIRST_ROW + this.bytes);
    this.bytes += data.length;
    this.length.writeBigUInt64LE(BigInt(this.bytes));
    fs.writeSync(this.file, this.length, 0, 8, 0);
  }

  step(row) {
    if (this.steps >= this.limits.steps) this.finish("step_limit", "");
    if (this.bytes > this.limits.trace_mb * 1_000_000) this.finish("trace_limit", "");
    this.write(row);
    this.steps++;
  }

  end(reason, detail, notes) {
    this.isOn = false;
    this.write(["end", reason, detail, notes]);
    this.write(["epilogue", this.steps, this.scopes, this.secret]);
  }

  /** Record something; a full stack becomes an error of the program. */
  guard(action) {
    if (!this.isOn) return;
    try {
      action();
    } catch (error) {
      if (error instanceof RangeError) throw new this.RangeError(error.message);
      throw error;
    }
  }

  /** A call on a stack that is almost full fails here, so that no later event of it does. */
  checkStack() {
    try {
      descend(STACK_RESERVE);
    } catch {
      throw new this.RangeError("Maximum call stack size exceeded");
    }
  }

  text(value) {
    return render(value, this.limits.value_chars);
  }

  // -- called by the instrumented program ----------------------------------------------------------

  enter(id, site, values) {
    const frame = { id, scope: -1, line: this.functions[id].line, texts: new Map(), value: undefined };
    frame.thrown = MISSING;
    if (this.isOn) this.checkStack();
    this.guard(() => {
      const { changed } = this.changes(frame, site, values);
      const { name, line, variables, parameters } = this.functions[id];
      const known = this.scopeOf.get(id);
      this.write(known === undefined ? ["scope", name, line, variables, parameters] : ["again", known]);
      frame.scope = this.scopes++;
      if (known === undefined) this.scopeOf.set(id, frame.scope);
      this.step(["call", frame.line, frame.scope, changed]);
    });
    return frame;
  }

  line(frame, site, values) {
    this.guard(() => this.locals("line", frame, site, values));
  }

  locals(event, frame, site, values) {
    if (frame.scope < 0) return;
    frame.line = this.sites[site].line;
    const { changed, gone } = this.changes(frame, site, values);
    const row = [event, frame.line, frame.scope];
    if (gone.length) row.push(changed, gone);
    else if (Object.keys(changed).length) row.push(changed);
    this.step(row);
  }

  changes(frame, site, values) {
    const { names, unset } = this.sites[site];
    const texts = new Map();
    const changed = Object.create(null);
    for (let index = 0; index < names.length; index++) {
      const value = values[index];
      if (value === MISSING || (unset && unset[index] && value === undefined)) continue;
      const text = this.text(value);
      texts.set(names[index], text);
      if (frame.texts.get(names[index]) !== text) changed[names[index]] = text;
    }
    const gone = [];
    for (const name of frame.texts.keys()) if (!texts.has(name)) gone.push(name);
    frame.texts = texts;
    return { changed, gone };
  }

  /** An exception leaves a function, or reaches a `finally`. */
  raise(frame, error) {
    if (frame.scope < 0 || frame.thrown === error) return;
    frame.thrown = error;
    this.guard(() => this.step(["exception", frame.line, frame.scope, this.text(error)]));
  }

  /** An exception is caught. */
  handle(frame, error) {
    this.raise(frame, error);
    frame.thrown = MISSING;
  }

  exit(frame) {
    if (frame.scope < 0 || !this.isOn) return;
    const value = frame.thrown === MISSING ? this.text(frame.value) : null;
    this.step(["return", frame.line, frame.scope, value]);
    if (frame.scope === 0) this.isOn = false;
  }

  suspend(frame, isAwait, value) {
    this.guard(() => {
      if (frame.scope < 0) return;
      this.step(["return", frame.line, frame.scope, isAwait ? "Promise {}" : this.text(value)]);
    });
    return value;
  }

  resume(frame, value, site, values) {
    this.guard(() => this.locals("call", frame, site, values));
    return value;
  }

  /** The value of a variable that may not be initialised. */
  safe(read) {
    try {
      return read();
    } catch {
      return MISSING;
    }
  }

  /** The default export of a module. */
  default(module) {
    return module?.__esModule ? module.default : module;
  }
}
