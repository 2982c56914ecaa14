// Stop at every statement of a program with V8's own debugger, and print each stop as a JSON line.
//
//   node witness.mjs PROGRAM.js ENTRY
//   node witness.mjs PROGRAM.ts ENTRY TYPESCRIPT
//
// TypeScript is compiled by its own compiler, in the folder TYPESCRIPT; its source map gives the lines.
// A worker holds the debugger, and the program runs in the main thread. Values are those of the
// function's own scopes, as JSON; those that JSON cannot write are left out.
import { readFileSync, writeSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { createRequire, SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const OWN_SCOPES = new Set(["local", "block", "catch"]);
const TO_JSON = `function () {
  const isPlain = (value) => {
    if (value === null || ["string", "boolean"].includes(typeof value)) return true;
    if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
    if (Array.isArray(value)) return value.every(isPlain) && Object.keys(value).length === value.length;
    if (typeof value !== "object") return false;
    return Object.getPrototypeOf(value)?.constructor?.name === "Object" && Object.values(value).every(isPlain);
  };
  return isPlain(this) ? JSON.stringify(this) : undefined;
}`;

if (isMainThread) runProgram(...process.argv.slice(2));
else startDebugger();

function runProgram(path, entry, typescript) {
  const [text, map] = typescript ? compile(path, typescript) : [readFileSync(path, "utf8"), null];
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: map });
  worker.once("message", () => {
    vm.runInThisContext(text, { filename: "program.js" });
    vm.runInThisContext(`debugger; ${entry}();`, { filename: "start.js" });
    worker.terminate();
  });
}

function compile(path, typescript) {
  const ts = createRequire(import.meta.url)(typescript);
  const compilerOptions = { target: ts.ScriptTarget.ESNext, sourceMap: true };
  const result = ts.transpileModule(readFileSync(path, "utf8"), { compilerOptions });
  return [result.outputText.replace(/^\/\/# sourceMappingURL.*$/m, ""), JSON.parse(result.sourceMapText)];
}

/** The line in the program's own text. */
function sourceLine({ lineNumber, columnNumber }) {
  if (workerData === null) return lineNumber + 1;
  return new SourceMap(workerData).findEntry(lineNumber, columnNumber).originalLine + 1;
}

async function startDebugger() {
  // A pending reply does not keep a worker alive.
  setInterval(() => {}, 1000);
  const session = new Session();
  session.connectToMainThread();
  const scripts = new Map();
  session.on("Debugger.scriptParsed", ({ params }) => scripts.set(params.scriptId, params.url));
  session.on("Debugger.paused", async ({ params }) => {
    const names = params.callFrames.map((frame) => scripts.get(frame.location.scriptId));
    const frames = params.callFrames.filter((_, index) => names[index] === "program.js");
    if (names[0] === "program.js") await report(session, frames);
    await session.post("Debugger.stepInto");
  });
  await session.post("Debugger.enable");
  // Only the program and its start are stepped through.
  await session.post("Debugger.setBlackboxPatterns", { patterns: ["^node:", "witness"] });
  parentPort.postMessage("ready");
}

async function report(session, frames) {
  const [frame] = frames;
  const variables = {};
  const hidden = [];
  for (const scope of frame.scopeChain.filter((each) => OWN_SCOPES.has(each.type)).reverse()) {
    const { result } = await session.post("Runtime.getProperties", {
      objectId: scope.object.objectId,
      ownProperties: true,
    });
    for (const { name, value } of result) {
      const text = value === undefined || value.type === "undefined" ? undefined : await json(session, value);
      if (text === undefined) hidden.push(name);
      else variables[name] = text;
    }
  }
  const row = { line: sourceLine(frame.location), depth: frames.length, variables, hidden };
  writeSync(1, JSON.stringify(row) + "\n");
}

async function json(session, value) {
  if (value.unserializableValue !== undefined) return undefined;
  if (value.objectId === undefined) return JSON.stringify(value.value);
  const { result } = await session.post("Runtime.callFunctionOn", {
    objectId: value.objectId,
    functionDeclaration: TO_JSON,
    returnByValue: true,
  });
  return result.value;
}
