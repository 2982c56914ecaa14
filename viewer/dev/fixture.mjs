/**
 * A report made by hand, to look at the page with: node dev/fixture.mjs page.html
 *
 * Two runs of 32 samples: word counts that go wrong in every way, a recursion, one of 2,000 steps, one that is hostile.
 */
import { writeFileSync } from "node:fs";
import { pack } from "./pack.mjs";

const COUNT_WORDS = `def count_words(text):
    counts = {}
    for word in text.split():
        word = word.strip('.,').lower()
        counts[word] = counts.get(word, 0) + 1
    return counts

def main(): # << START_OF_TRACE
    return count_words(TEXT)
`;
const FACTORIAL = `def factorial(n):
    if n == 0:
        return 1
    return n * factorial(n - 1)

def main(): # << START_OF_TRACE
    return factorial(N)
`;
const HOSTILE_ID = "</script><img src=x onerror=alert(1)>\u202egnp.exe\u001b[31m\ud800/../?#%41";

const quote = (text) => `'${text.replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;
const dict = (counts) => `{${[...counts].map(([word, n]) => `${quote(word)}: ${n}`).join(", ")}}`;

/** Writes steps down as the contract has them: what changed since the step before. */
function recorder(source) {
  const lines = source.split("\n");
  const steps = [];
  let last = {};
  return {
    steps,
    step(event, line, locals, changed, stack, value = null) {
      const set = Object.fromEntries(Object.entries(locals).filter(([name, text]) => last[name] !== text));
      const unset = Object.keys(last).filter((name) => !(name in locals));
      steps.push({ event, line, text: lines[line - 1], changed, set, unset, value, stack });
      last = { ...locals };
    },
  };
}

/** Runs count_words; `strip` and `add` may be wrong from a word on. */
function countWords(text, { wrongFrom = Infinity, wrong = "" } = {}) {
  const source = COUNT_WORDS.replace("TEXT", quote(text));
  const { steps, step } = recorder(source);
  const stack = (line) => [
    { function: "main", line: 9 },
    { function: "count_words", line },
  ];
  const counts = new Map();
  const locals = { text: quote(text) };
  step("call", 8, {}, [], [{ function: "main", line: 8 }]);
  step("line", 9, {}, [], [{ function: "main", line: 9 }]);
  step("call", 1, locals, ["text"], stack(1));
  step("line", 2, locals, [], stack(2));
  locals.counts = "{}";
  step("line", 3, locals, ["counts"], stack(3));
  text.split(" ").forEach((raw, at) => {
    const isWrong = at === wrongFrom;
    locals.word = quote(raw);
    step("line", 4, locals, ["word"], stack(4));
    const word = isWrong && wrong === "strip" ? raw.toLowerCase() : raw.replace(/[.,]/g, "").toLowerCase();
    locals.word = quote(word);
    step("line", 5, locals, ["word"], stack(5));
    counts.set(word, (counts.get(word) ?? 0) + (isWrong && wrong === "add" ? 2 : 1));
    locals.counts = dict(counts);
    step("line", 3, locals, ["counts"], stack(3));
  });
  step("line", 6, locals, [], stack(6));
  step("return", 6, locals, [], stack(6), dict(counts));
  step("return", 9, {}, [], [{ function: "main", line: 9 }], dict(counts));
  return { source, steps, result: dict(counts) };
}

function factorial(n, { wrongAt = -1 } = {}) {
  const source = FACTORIAL.replace("N", String(n));
  const { steps, step } = recorder(source);
  const main = (line) => [{ function: "main", line }];
  const visit = (value, stack) => {
    const here = (line) => [...stack, { function: "factorial", line }];
    const locals = { n: String(value) };
    step("call", 1, locals, ["n"], here(1));
    step("line", 2, locals, [], here(2));
    if (value === 0) {
      step("line", 3, locals, [], here(3));
      step("return", 3, locals, [], here(3), "1");
      return 1n;
    }
    step("line", 4, locals, [], here(4));
    let result = BigInt(value) * visit(value - 1, here(4));
    if (value === wrongAt) result += 10n;
    step("return", 4, locals, [], here(4), String(result));
    return result;
  };
  step("call", 6, {}, [], main(6));
  step("line", 7, {}, [], main(7));
  const result = String(visit(n, main(7)));
  step("return", 7, {}, [], main(7), result);
  return { source, steps, result };
}

const sameStep = (a, b) => JSON.stringify([a?.line, a?.value, a?.set]) === JSON.stringify([b?.line, b?.value, b?.set]);

/** Two executions -> a sample, with its divergence found. */
function sample(id, real, imagined, { outcome, cause = null, ending = "the trace is whole", more = {} } = {}) {
  let matched = 0;
  while (matched < imagined.steps.length && sameStep(real.steps[matched], imagined.steps[matched])) matched++;
  const isWhole = matched === imagined.steps.length;
  const [a, b] = [real.steps[matched], imagined.steps[matched]];
  const names = b ? Object.keys(b.set).filter((name) => a?.set[name] !== b.set[name]) : [];
  const variable = names[0] ?? null;
  const where = variable ? "state" : "return";
  const [one, other] = variable ? [a.set[variable] ?? "", b.set[variable]] : [a?.value ?? "", b?.value ?? ""];
  const divergence = isWhole
    ? null
    : {
        step: matched,
        where,
        variable,
        true: one,
        predicted: other,
        differences: names.map((name) => ({ name, true: a?.set[name] ?? null, predicted: b.set[name] })),
      };
  const found = outcome ?? (divergence ? "diverged" : "correct");
  return {
    id,
    verdict: found === "correct" ? "right" : found === "truncated" ? "cut" : found === "error" ? "failed" : "wrong",
    outcome: found,
    cause: found === "correct" ? null : (cause ?? "string_handling"),
    story: divergence
      ? `step ${matched}  ${where} ${variable ?? ""}  ${other.slice(0, 60)} instead of ${one.slice(0, 60)}: handled the characters of a string wrongly`
      : found === "correct"
        ? ""
        : `${matched} steps are right, then the text ends within a step: cut by the token budget`,
    facts: divergence
      ? [
          ["executed", `line ${a?.line}: ${a?.text.trim()}   (1 hidden value)`],
          ["value", "str, update"],
          ["horizon", `step ${matched}, iteration 2, call depth 2, 928 characters written`],
          ["afterwards", "found back 1 time (15 steps); result right"],
          ["cause", `${cause ?? "string_handling"} (a hypothesis)`],
        ]
      : [],
    source: real.source,
    real: {
      steps: real.steps,
      ending: `finished: ${real.result.slice(0, 80)}  (${real.steps.length} steps, Python 3.11.7, settrace)`,
    },
    imagined: { steps: imagined.steps, ending },
    matched,
    divergence,
    still: {},
    same_again: divergence
      ? imagined.steps.slice(matched).map((step, at) => sameStep(step, real.steps[matched + at]))
      : [],
    cuts: divergence ? { vocabulary: "llama3", true: cut(one), predicted: cut(other) } : null,
    surprise: null,
    attempts: [],
    prompt: `<|begin_of_text|><|trace_context_start|>${real.source}<|frame_sep|>`,
    reply: imagined.steps
      .slice(0, 400)
      .map((step) => `<|line_sep|>${JSON.stringify(step.set)}<|action_sep|>${step.text}\n`)
      .join(""),
    answer: imagined.steps.at(-1)?.value ?? null,
    expected: real.result,
    ...more,
  };
}

const cut = (text) => text.match(/[A-Za-z]{1,4}|\s+|\d{1,3}|[^A-Za-z\s\d]{1,2}/g) ?? [];

const TEXTS = [
  "To be, or not to be.",
  "the quick brown fox jumps over the lazy dog",
  "One fish, two fish, red fish, blue fish.",
  "a rose is a rose is a rose",
];

function makeSamples(isSecond) {
  const made = [];
  for (let at = 0; at < 28; at++) {
    const text = TEXTS[at % TEXTS.length];
    const kind = (at + (isSecond ? 3 : 0)) % 5;
    const wrong = kind === 0 ? {} : { wrongFrom: kind, wrong: kind % 2 ? "add" : "strip" };
    const cause = kind % 2 ? "arithmetic" : "string_handling";
    const [real, imagined] = [countWords(text), countWords(text, wrong)];
    if (kind === 4 && at % 2) {
      const short = { ...imagined, steps: real.steps.slice(0, 9) };
      const options = { outcome: "truncated", cause: "budget", ending: "the text ends within a step" };
      made.push(sample(`sample_${at}`, real, short, options));
    } else made.push(sample(`sample_${at}`, real, imagined, { cause }));
  }
  const tried = [
    { intervention: "patch", changes: "given the one true value", is_right: true, text: "turned right" },
    { intervention: "expressions", changes: "one operation a line", is_right: false, text: "not right: +0 steps" },
  ];
  const surprise = factorial(6).steps.map((_, at) => ({
    action: at % 7 === 3 ? 1.2 : 0.02,
    state: at === 21 ? 4.5 : 0.1,
    is_action_greedy: at % 7 !== 3,
    is_state_greedy: at !== 21,
  }));
  made.push(
    sample("factorial", factorial(6), factorial(6, { wrongAt: 2 }), {
      cause: "arithmetic",
      more: { attempts: tried, surprise },
    }),
  );
  const long = Array.from({ length: 664 }, (_, at) => ["red,", "green.", "Blue", "grey"][at % 4] + (at % 9)).join(" ");
  const longRun = countWords(long, { wrongFrom: 400, wrong: "add" });
  made.push(sample("two_thousand_steps", countWords(long), longRun, { cause: "arithmetic" }));
  made.push(
    sample("nothing_written", countWords(TEXTS[0]), { steps: [] }, { outcome: "no_output", ending: "no text" }),
  );
  made.push(hostile());
  return made;
}

function hostile() {
  const source = `# </script><script>alert(1)</script>\u202e\u001b[31m\ud800\ndef main(): # << START_OF_TRACE\n    x = '${"é".repeat(50)}'\n    return x\n`;
  const step = (line, set, value = null) => ({
    event: value === null ? "line" : "return",
    line,
    text: `x = "<b onmouseover=alert(2)>\u202e\u0000" # ${"y".repeat(300)}`,
    changed: Object.keys(set),
    set,
    unset: [],
    value,
    stack: [{ function: "<img src=x>\u202e", line }],
  });
  const huge = "x".repeat(10_000_000);
  const names = JSON.parse(`{"__proto__": "'\\u202e<i>'", "constructor": "1"}`);
  const real = { source, result: huge, steps: [step(2, names), step(3, { huge }), step(4, {}, huge)] };
  const other = {
    ...real,
    steps: [step(2, names), step(3, { huge: huge + "\u202ey\ud800" }), step(null, {}, "'\u001b[2J'")],
  };
  return {
    ...sample(HOSTILE_ID, real, other, { cause: "miscopied" }),
    reply: "\u001b[2J\u202e" + huge.slice(0, 50_000),
  };
}

const COLUMNS = [
  ["id", "sample", "text"],
  ["verdict", "verdict", "text"],
  ["outcome", "outcome", "text"],
  ["where", "differs in", "text"],
  ["kind", "kind", "text"],
  ["cause", "cause", "text"],
  ["step", "at step", "number"],
  ["right_steps", "right steps", "number"],
  ["steps", "steps", "number"],
];

function row(made) {
  const { divergence } = made;
  const kind = divergence
    ? divergence.true.startsWith("{")
      ? "dict"
      : /^\d/.test(divergence.true)
        ? "int"
        : "str"
    : null;
  const [where, step] = [divergence?.where ?? null, divergence?.step ?? null];
  return [made.id, made.verdict, made.outcome, where, kind, made.cause, step, made.matched, made.real.steps.length];
}

/** Wilson's interval. */
function share(right, of) {
  if (of === 0) return { right, of, low: null, high: null };
  const [z, p] = [1.96, right / of];
  const [middle, half] = [p + (z * z) / (2 * of), z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))];
  const scale = 1 + (z * z) / of;
  return { right, of, low: Math.max((middle - half) / scale, 0), high: Math.min((middle + half) / scale, 1) };
}

const tally = (values) => {
  const counts = new Map();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
};

const effect = (intervention, changes, needs_truth, cause, recovered, tokens) => {
  return { intervention, changes, needs_truth, cause, recovered, tokens };
};

function run(name, samples, rows) {
  const verdicts = Object.fromEntries(
    tally(samples.map((made) => made.verdict)).map(({ name, count }) => [name, count]),
  );
  const { right = 0, wrong = 0, cut = 0 } = verdicts;
  const silent = samples.filter((made) => made.outcome === "no_output").length;
  const bins = (labels, peak) =>
    labels.map((group, at) => ({ group, share: share(Math.round(peak * 0.7 ** at), Math.round(peak)) }));
  const sentences = {
    arithmetic: "calculated wrongly",
    string_handling: "handled the characters of a string wrongly",
    budget: "cut by the token budget",
    miscopied: "copied wrongly",
  };
  const places = tally(rows.map((cells) => (cells[3] ? JSON.stringify([cells[3], cells[4]]) : null)));
  return {
    name,
    lines: ["demo, made by hand", "no model: a generator of mistakes", `${samples.length} samples in ${name}`],
    accuracy: {
      samples: samples.length + 2,
      asked: samples.length,
      right,
      wrong: wrong - silent,
      no_answer: silent,
      cut,
      failed: 2,
      of_all: share(right, samples.length),
      of_answered: share(right, samples.length - silent - cut),
    },
    outcomes: tally(samples.map((made) => made.outcome)),
    causes: tally(samples.map((made) => made.cause)).map(({ name, count }) => ({
      name,
      count,
      sentence: sentences[name] ?? "",
      confirmed: name === "arithmetic" ? share(Math.ceil(count / 2), count) : null,
    })),
    places: places.map(({ name, count }) => ({ where: JSON.parse(name)[0], kind: JSON.parse(name)[1], count })),
    lengths: [
      { by: "steps", bins: bins(["4–7", "8–15", "16–31", "32–63", "64–127", "128–255"], 40) },
      { by: "iterations", bins: bins(["0", "1", "2–3", "4–7", "8–15"], 25) },
      { by: "tokens", bins: bins(["64–127", "128–255", "256–511", "512–1023"], 30) },
    ],
    survival: [1, 2, 4, 8, 16, 32, 64].map((step, at) => ({
      step,
      survival: 0.82 ** at,
      at_risk: Math.round(32 * 0.7 ** at),
    })),
    scored: ["One step at a time, the truth before it given", "actions   99 of 100", "states    98 of 100"],
    budget: {
      budget: 1024,
      cut,
      written_tokens: { total: 28_410, median: 612, most: 1024 },
      formats: [
        { codec: "cwm", tokens: 31_220, fit: 24, of: 32 },
        { codec: "changed-only", tokens: 11_904, fit: 31, of: 32 },
      ],
      vocabulary: "llama3",
      can_count: false,
    },
    interventions: {
      failures: 26,
      effects: [
        effect("patch", "given the one true value", true, "arithmetic", share(9, 12), 1.02),
        effect("expressions", "one operation a line", false, "string_handling", share(4, 11), 1.61),
        effect("expressions", "one operation a line", false, null, share(4, 11), 1.61),
      ],
      fixes: ["expressions: turns 4 of 11 right at 1.61× the tokens", "cheapest fix that gains: expressions"],
    },
    columns: COLUMNS.map(([name, title, type], at) => ({
      name,
      title,
      type,
      values: type === "text" && at > 0 ? tally(rows.map((cells) => cells[at])).map((value) => value.name) : null,
    })),
  };
}

const samples = [makeSamples(false), makeSamples(true)];
const rows = samples.map((made) => made.map(row));
const isRight = (made) => made.verdict === "right";
const pairs = samples[0].map((made, at) => [made, samples[1][at]]);
const gained = pairs.filter(([a, b]) => !isRight(a) && isRight(b)).map(([a]) => a.id);
const lost = pairs.filter(([a, b]) => isRight(a) && !isRight(b)).map(([a]) => a.id);
const difference = {
  of: pairs.length,
  value: (gained.length - lost.length) / pairs.length,
  low: -0.12,
  high: 0.19,
  p: 0.77,
};
const change = (by, group, gained, lost, difference) => {
  return { by, group, pairs: 32, gained, lost, difference, adjusted_p: difference.p };
};
const report = {
  format: 1,
  worldline: "0.1.0",
  runs: [run("runs/base", samples[0], rows[0]), run("runs/tuned", samples[1], rows[1])],
  comparison: {
    headline: `runs/tuned gains ${gained.length} and loses ${lost.length} of 32: no difference that chance does not explain`,
    a: share(samples[0].filter(isRight).length, 32),
    b: share(samples[1].filter(isRight).length, 32),
    difference,
    gained,
    lost: [...lost, HOSTILE_ID],
    verdicts: tally(pairs.map(([a, b]) => JSON.stringify([a.verdict, b.verdict]))).map(({ name, count }) => ({
      a: JSON.parse(name)[0],
      b: JSON.parse(name)[1],
      count,
    })),
    groups: [
      change("cause", "arithmetic", 4, 2, { ...difference, value: 0.0625 }),
      change("steps", "16–31", 2, 4, { ...difference, value: -0.0625 }),
    ],
    groups_note: "p is adjusted for 2 groups (Benjamini and Hochberg): none is below 0.05.",
    settings: ["model: base in A, tuned in B"],
    notes: ["in both: 4 right, 20 not right"],
  },
};
writeFileSync(process.argv[2] ?? "fixture.html", pack({ report, rows, samples }));
