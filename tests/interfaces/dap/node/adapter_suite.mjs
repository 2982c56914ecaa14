// Interactions of VS Code's own test client with the adapter at the port in WORLDLINE_DAP_PORT.
// Prints the number of requests that were answered.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import support from "@vscode/debugadapter-testsupport";

const [folder, predictions] = process.argv.slice(2);
const port = Number(process.env.WORLDLINE_DAP_PORT);
let answered = 0;

const file = (name, text) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const NESTED = file(
  "nested.py",
  "def square(n):\n    m = n * n\n    return m\n\ndef total(xs):\n    s = 0\n    for x in xs:\n        s += square(x)\n    return s\n",
);
const ERRORS = file(
  "errors.py",
  "def inner(d):\n    return d['missing']\n\ndef outer():\n    try:\n        inner({})\n    except KeyError:\n        return 1\n",
);
const GENERATOR = file(
  "generator.py",
  "def count(n):\n    for i in range(n):\n        yield i\n\ndef use():\n    return sum(count(3))\n",
);
const RECURSION = file(
  "recursion.py",
  "def fib(n):\n    if n < 2:\n        return n\n    a = fib(n - 1)\n    return a + fib(n - 2)\n",
);
const THREADS = file(
  "threads.py",
  "import threading\n\ndef work(out):\n    out.append(1)\n\ndef start():\n    out = []\n" +
    "    thread = threading.Thread(target=work, args=(out,))\n    thread.start()\n    thread.join()\n    return out\n",
);
const launchOf = (program, call) => ({ program, call });

async function session(run) {
  const client = new support.DebugClient("node", "", "worldline");
  client.defaultTimeout = 60_000;
  await client.start(port);
  const send = client.send.bind(client);
  client.send = async (...request) => {
    const response = await send(...request);
    answered += 1;
    return response;
  };
  try {
    await run(client);
  } finally {
    await client.stop();
  }
}

async function top(client, threadId = 1) {
  const { body } = await client.stackTraceRequest({ threadId });
  return body.stackFrames[0];
}

async function variables(client, frameId, scope) {
  const { body } = await client.scopesRequest({ frameId });
  const found = body.scopes.find((each) => each.name === scope);
  const answer = await client.variablesRequest({ variablesReference: found.variablesReference });
  return Object.fromEntries(answer.body.variables.map((each) => [each.name, each.value]));
}

// Move, and wait for the stop that follows.
async function move(client, request, reason, line, threadId = 1) {
  const [, stack] = await Promise.all([
    client[`${request}Request`]({ threadId }),
    client.assertStoppedLocation(reason, line === null ? {} : { line }),
  ]);
  return stack.body.stackFrames[0];
}

const tests = {
  async "capabilities"(client) {
    const { body } = await client.initializeRequest();
    assert.ok(body.supportsStepBack && body.supportsDataBreakpoints);
    assert.equal(body.exceptionBreakpointFilters.length, 2);
  },
  async "a breakpoint by its line"(client) {
    await client.hitBreakpoint(launchOf(NESTED, "total([1, 2])"), { path: NESTED, line: 8 });
    assert.deepEqual(await variables(client, (await top(client)).id, "Locals"), { xs: "[1, 2]", s: "0", x: "1" });
  },
  async "every direction"(client) {
    await client.hitBreakpoint(launchOf(NESTED, "total([1, 2])"), { path: NESTED, line: 8 });
    await move(client, "stepIn", "step", 1);
    await move(client, "next", "step", 2);
    await move(client, "next", "step", 3);
    const returned = await move(client, "next", "step", 3);
    assert.equal((await variables(client, returned.id, "Locals"))["(return)"], "1");
    await move(client, "stepOut", "step", 7);
    await move(client, "stepBack", "step", 3);
    await move(client, "stepOut", "step", 7);
    await move(client, "next", "step", 8);
    await move(client, "stepBack", "step", 7);
    await move(client, "reverseContinue", "breakpoint", 8);
    await move(client, "reverseContinue", "entry", null);
    await move(client, "continue", "breakpoint", 8);
    await move(client, "continue", "breakpoint", 8);
    await move(client, "continue", "end", null);
    await Promise.all([client.continueRequest({ threadId: 1 }), client.waitForEvent("terminated")]);
  },
  async "conditions, functions and variables that change"(client) {
    await Promise.all([
      client.launch(launchOf(NESTED, "total([1, 2, 3])")),
      client.waitForEvent("initialized").then(async () => {
        const { body } = await client.setBreakpointsRequest({
          source: { path: NESTED },
          breakpoints: [{ line: 8, condition: "x == 2" }, { line: 4 }],
        });
        assert.deepEqual(body.breakpoints.map((each) => each.verified), [true, false]);
        await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "square", condition: "n == 3" }] });
        await client.setExceptionBreakpointsRequest({ filters: ["raised"] });
        await client.configurationDoneRequest();
      }),
      client.assertStoppedLocation("breakpoint", { path: NESTED, line: 8 }),
    ]);
    await move(client, "continue", "function breakpoint", 1);
    await client.setFunctionBreakpointsRequest({ breakpoints: [] });
    await client.setBreakpointsRequest({ source: { path: NESTED }, breakpoints: [] });
    const info = await client.dataBreakpointInfoRequest({ name: "s" });
    await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.body.dataId }] });
    await move(client, "continue", "data breakpoint", 7);
    await move(client, "reverseContinue", "data breakpoint", 7);
  },
  async "exceptions"(client) {
    await Promise.all([
      client.launch(launchOf(ERRORS, "outer()")),
      client.waitForEvent("initialized").then(async () => {
        await client.setExceptionBreakpointsRequest({ filters: ["raised"] });
        await client.configurationDoneRequest();
      }),
      client.assertStoppedLocation("exception", { path: ERRORS, line: 2 }),
    ]);
    const { body } = await client.exceptionInfoRequest({ threadId: 1 });
    assert.equal(body.exceptionId, "KeyError");
    await move(client, "stepOut", "step", 6);
    await move(client, "stepBack", "step", 2);
  },
  async "generators, frames and places"(client) {
    await client.hitBreakpoint(launchOf(GENERATOR, "use()"), { path: GENERATOR, line: 3 });
    const { body } = await client.stackTraceRequest({ threadId: 1 });
    assert.deepEqual(body.stackFrames.map((each) => each.name), ["count", "use", "main"]);
    await Promise.all([
      client.restartFrameRequest({ frameId: body.stackFrames[1].id }),
      client.assertStoppedLocation("restart", { line: 5 }),
    ]);
    const targets = await client.gotoTargetsRequest({ source: { path: GENERATOR }, line: 3 });
    assert.equal(targets.body.targets.length, 3);
    await Promise.all([
      client.gotoRequest({ threadId: 1, targetId: targets.body.targets[2].id }),
      client.assertStoppedLocation("goto", { line: 3 }),
    ]);
    assert.equal((await client.evaluateRequest({ expression: "i * 10 + n" })).body.result, "23");
    await assert.rejects(client.evaluateRequest({ expression: "count(1)" }), /would execute code/);
  },
  async "recursion has a frame for each call"(client) {
    await client.hitBreakpoint(launchOf(RECURSION, "fib(3)"), { path: RECURSION, line: 3 });
    const { body } = await client.stackTraceRequest({ threadId: 1 });
    assert.deepEqual(body.stackFrames.map((each) => each.name), ["fib", "fib", "fib", "main"]);
    const values = [];
    for (const frame of body.stackFrames.slice(0, 3)) {
      values.push((await variables(client, frame.id, "Locals")).n);
    }
    assert.deepEqual(values, ["1", "2", "3"]);
    await move(client, "stepOut", "step", 5);
    await move(client, "stepBack", "step", 3);
    await move(client, "reverseContinue", "breakpoint", 3);
  },
  async "threads of the program"(client) {
    const source = { path: THREADS };
    await Promise.all([
      client.launch({ ...launchOf(THREADS, "start()"), threads: true }),
      client.waitForEvent("initialized").then(async () => {
        await client.setBreakpointsRequest({ source, breakpoints: [{ line: 4 }] });
        await client.configurationDoneRequest();
      }),
      client.waitForEvent("stopped"),
    ]);
    const { body } = await client.threadsRequest();
    assert.deepEqual(body.threads.map((each) => each.name), ["actual", "actual, thread 1"]);
    const other = await top(client, body.threads[1].id);
    assert.deepEqual([other.name, other.line], ["work", 4]);
    assert.equal((await variables(client, other.id, "Locals")).out, "[]");
  },
  async "log messages do not stop"(client) {
    const source = { path: NESTED };
    const texts = [];
    client.on("output", (event) => texts.push(event.body.output));
    await Promise.all([
      client.launch(launchOf(NESTED, "total([1, 2])")),
      client.waitForEvent("initialized").then(async () => {
        await client.setBreakpointsRequest({ source, breakpoints: [{ line: 8, logMessage: "x is {x}" }] });
        await client.configurationDoneRequest();
      }),
      client.assertStoppedLocation("end", {}),
    ]);
    assert.deepEqual(texts.filter((text) => text.startsWith("x is")), ["x is 1\n", "x is 2\n"]);
  },
  async "every step backwards shows what it showed forwards"(client) {
    await Promise.all([
      client.launch({ ...launchOf(RECURSION, "fib(2)"), stopOnEntry: true }),
      client.configurationSequence(),
      client.waitForEvent("stopped"),
    ]);
    const look = async () => {
      const frame = await top(client);
      return [frame.name, frame.line, await variables(client, frame.id, "Locals")];
    };
    const go = (request) =>
      Promise.all([client[`${request}Request`]({ threadId: 1 }), client.waitForEvent("stopped")]);
    const seen = [await look()];
    for (let step = 0; step < 12; step++) {
      await go("stepIn");
      seen.push(await look());
    }
    for (const expected of seen.slice(0, -1).reverse()) {
      await go("stepBack");
      assert.deepEqual(await look(), expected);
    }
  },
  async "disconnect in the middle of a step"(client) {
    await client.hitBreakpoint(launchOf(NESTED, "total([1, 2])"), { path: NESTED, line: 8 });
    const step = client.nextRequest({ threadId: 1 });
    await Promise.all([step, client.disconnectRequest()]);
    // The adapter is gone: a second request, as `stop` sends it, has no answer.
    client.disconnectRequest = () => Promise.resolve();
  },
  async "a prediction in lock step"(client) {
    await Promise.all([
      client.launch({ predictions, sample: "wrong_string" }),
      client.configurationSequence(),
      client.waitForEvent("stopped").then((event) => {
        assert.equal(event.body.reason, "exception");
        assert.equal(event.body.threadId, 2);
      }),
    ]);
    const threads = await client.threadsRequest();
    assert.deepEqual(threads.body.threads.map((each) => each.name), ["actual", "predicted"]);
    const frames = [await top(client, 1), await top(client, 2)];
    assert.equal(frames[0].line, frames[1].line);
    const differences = await variables(client, frames[1].id, "Differences");
    assert.equal(Object.keys(differences).length, 1);
    const { body } = await client.exceptionInfoRequest({ threadId: 2 });
    assert.equal(body.exceptionId, "divergence");
    await move(client, "stepBack", "step", null, 2);
    const text = await client.sourceRequest({ sourceReference: 1 });
    assert.match(text.body.content, /def main\(\)/);
    await assert.rejects(client.setVariableRequest({ variablesReference: 1, name: "x", value: "1" }));
  },
  async "errors do not end the session"(client) {
    await client.initializeRequest();
    await assert.rejects(client.launchRequest({ program: "/nothing.py" }), /cannot read/);
    await assert.rejects(client.customRequest("frobnicate"), /not supported/);
    await assert.rejects(client.stackTraceRequest({ threadId: 1 }), /nothing is launched/);
    client.launchRequest(launchOf(NESTED, "total([])"));
    await client.waitForEvent("initialized");
    await Promise.all([client.configurationDoneRequest(), client.waitForEvent("stopped")]);
    await assert.rejects(client.scopesRequest({ frameId: 99 }), /no frame 99/);
    await client.terminateRequest();
  },
};

for (const [name, run] of Object.entries(tests)) {
  try {
    await session(run);
  } catch (error) {
    console.error(`${name}: ${error.stack ?? JSON.stringify(error)}`);
    process.exit(1);
  }
}
console.log(answered);
