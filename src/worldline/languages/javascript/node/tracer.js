// Executes one program and records it. Runs in the sandbox, started by recorder/child/exec_server.py.
//
// Descriptors: 0 the program's input, 1 its output, 3 the recording, 4 the request.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";
import { Console } from "node:console";
import { Writable } from "node:stream";
import { instrument } from "./instrument.js";
import { Recording } from "./recording.js";
import { thrownDetail } from "./render.js";

const RECORDING = 3;
const REQUEST = 4;
const MAX_DETAIL = 100_000;
// Names that a program finds in Node, besides those of JavaScript itself.
const GLOBALS = [
  ...["Buffer", "URL", "URLSearchParams", "TextEncoder", "TextDecoder", "AbortController", "AbortSignal"],
  ...["Event", "EventTarget", "setTimeout", "setInterval", "setImmediate", "clearTimeout"],
  ...["clearInterval", "clearImmediate", "queueMicrotask", "structuredClone", "performance", "atob", "btoa"],
];

const exit = process.reallyExit.bind(process);
const writeSync = fs.writeSync;
const now = Date.now;
const request = JSON.parse(fs.readFileSync(REQUEST, "utf8"));
fs.closeSync(REQUEST);
const limits = request.limits;
const notes = [];
let recording = new Recording(RECORDING, limits, { functions: [], sites: [] }, request.secret, finish);
let printed = 0;

function finish(reason, detail, status = 0) {
  recording.end(reason, String(detail).slice(0, MAX_DETAIL), notes);
  exit(status);
}

/** A stream to a descriptor, which ends the program if it prints too much. */
function output(descriptor) {
  const write = (chunk, encoding, done) => {
    const data = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
    printed += data.length;
    if (printed > limits.output_mb * 1_000_000) {
      finish("output_limit", `more than ${limits.output_mb} MB printed`, 1);
    }
    for (let start = 0; start < data.length; ) start += writeSync(descriptor, data, start);
    done();
  };
  return new Writable({ write, decodeStrings: false });
}

function prepareProcess(stdout, stderr) {
  for (const [name, stream] of [["stdout", stdout], ["stderr", stderr]]) {
    Object.defineProperty(process, name, { value: stream, configurable: true });
  }
  process.exit = process.reallyExit = (code = process.exitCode ?? 0) => {
    finish("exited", code, Number(code) & 0xff);
  };
  // V8 itself ends the process by SIGABRT if there is no more memory.
  process.abort = () => finish("exited", "abort", 134);
  process.argv = [process.argv[0], request.file];
}

/** The program's own realm: what it changes there does not change the tracer. */
function newContext(console) {
  const globals = Object.create(null);
  for (const name of GLOBALS) globals[name] = globalThis[name];
  const context = vm.createContext(Object.assign(globals, { console, process }));
  context.global = vm.runInContext("globalThis", context);
  return context;
}

function load(context) {
  let text = request.text;
  if (request.language === "typescript") {
    text = createRequire(import.meta.url)("./typescript.cjs").stripTypes(text);
  }
  const program = instrument(text, request.entry === null);
  recording = new Recording(RECORDING, limits, program, request.secret, finish);
  recording.RangeError = vm.runInContext("RangeError", context);
  const start = request.entry === null ? "" : `\nreturn ${request.entry};`;
  const strict = program.isStrict ? '"use strict";' : "";
  const parameters = `exports,require,module,__filename,__dirname,${program.hook}`;
  const code = `(function(${parameters}){${strict}${program.code}${start}\n})`;
  const run = new vm.Script(code, { filename: request.file }).runInContext(context);
  const module = { exports: vm.runInContext("({})", context) };
  const require = createRequire(path.join(request.folder, "program.js"));
  return () => run.call(module.exports, module.exports, require, module, request.file, request.folder, recording);
}

function main() {
  // Compared by the parent's settings: without the filter, nothing is executed.
  if (request.needs_filter && process.env.WORLDLINE_FILTER !== "installed") {
    finish("recorder_failed", "the sandbox: the seccomp filter is not installed", 1);
  }
  delete process.env.WORLDLINE_FILTER;
  delete process.env.LD_PRELOAD;
  const stdout = output(1);
  const stderr = output(2);
  prepareProcess(stdout, stderr);
  const context = newContext(new Console({ stdout, stderr }));
  let start;
  try {
    start = load(context);
    if (request.entry !== null) start = start();
  } catch (error) {
    finish("not_loaded", thrownDetail(error), 1);
  }
  recording.isOn = true;
  let ending = ["finished", "", 0];
  try {
    start();
  } catch (error) {
    ending = ["raised", thrownDetail(error), 1];
  }
  recording.isOn = false;
  finishWhenIdle(ending);
}

/** End the process once the callbacks that the program left are done; they are not recorded. */
function finishWhenIdle(ending) {
  if (ending[0] === "raised") finish(...ending);
  const began = now();
  process.on("exit", () => finish(...ending));
  process.on("uncaughtException", (error) => {
    notes.push(`failed in a callback after the entry point had returned: ${thrownDetail(error)}`);
    finish(...ending);
  });
  const timer = setTimeout(() => {
    notes.push("callbacks were still pending when the time was over");
    finish(...ending);
  }, Math.max(0, limits.seconds * 900 - (now() - began)));
  timer.unref();
}

main();
