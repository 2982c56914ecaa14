/**
 * Artificial report, to develop the page without a model: node dev/fixture.mjs page.html
 *
 * Two runs of 32 samples: word counts with different errors, a recursion, one of 2,000 steps, one with hostile text.
 */
import { writeFileSync } from "node:fs";
import { embed } from "./embed.mjs";

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

/** Records steps as changes since the step before, as in src/api.ts. */
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

/** Executes count_words, with an error in `strip` or `add` at one word. */
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
  text.split(" ").forEach((raw, index) => {
    const isWrong = index === wrongFrom;
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

/** The document of a sample, from its two executions. */
function sample(id, actual, predicted, { outcome, cause = null, ending = "the trace is complete", more = {} } = {}) {
  let matched = 0;
  while (matched < predicted.steps.length && sameStep(actual.steps[matched], predicted.steps[matched])) matched++;
  const isMatched = matched === predicted.steps.length;
  const [a, b] = [actual.steps[matched], predicted.steps[matched]];
  const names = b ? Object.keys(b.set).filter((name) => a?.set[name] !== b.set[name]) : [];
  const variable = names[0] ?? null;
  const where = variable ? "state" : "return";
  const [one, other] = variable ? [a.set[variable] ?? "", b.set[variable]] : [a?.value ?? "", b?.value ?? ""];
  const divergence = isMatched
    ? null
    : {
        step: matched,
        where,
        variable,
        actual: one,
        predicted: other,
        differences: names.map((name) => ({ name, actual: a?.set[name] ?? null, predicted: b.set[name] })),
      };
  const result = outcome ?? (divergence ? "diverged" : "correct");
  return {
    id,
    verdict: ["correct", "truncated", "infra_error"].includes(result) ? result : "incorrect",
    outcome: result,
    cause: result === "correct" ? null : (cause ?? "string_handling"),
    summary: divergence
      ? `step ${matched}  ${where} ${variable ?? ""}  ${other.slice(0, 60)} instead of ${one.slice(0, 60)}: handled the characters of a string wrongly`
      : result === "correct"
        ? ""
        : `${matched} steps are correct, then the text ends within a step: ended by the token limit`,
    facts: divergence
      ? [
          ["executed", `line ${a?.line}: ${a?.text.trim()}   (1 hidden value)`],
          ["value", "str, written by the line"],
          ["horizon", `step ${matched}, iteration 2, call depth 2, 928 characters written`],
          ["afterwards", "re-converged 1 time (15 steps); result correct"],
        ]
      : [],
    reason: divergence
      ? {
          rule: 26,
          rules: 28,
          sentence: "misunderstood an operation on a string",
          facts: [`the value that differs is of kind str`, `operations of line ${a?.line}: .strip()`],
          also_matching: ["container_handling"],
          status: "hypothesis",
          tested_by: null,
        }
      : null,
    source: actual.source,
    actual: {
      steps: actual.steps,
      ending: `finished: ${actual.result.slice(0, 80)}  (${actual.steps.length} steps, Python 3.11.7, settrace)`,
    },
    predicted: { steps: predicted.steps, ending },
    matched_steps: matched,
    divergence,
    stale_variables: {},
    matches_after_divergence: divergence
      ? predicted.steps.slice(matched).map((step, index) => sameStep(step, actual.steps[matched + index]))
      : [],
    value_tokens: divergence ? { tokenizer: "llama3", actual: tokenize(one), predicted: tokenize(other) } : null,
    nll: null,
    attempts: [],
    prompt: `<|begin_of_text|><|trace_context_start|>${actual.source}<|frame_sep|>`,
    output: predicted.steps
      .slice(0, 400)
      .map((step) => `<|line_sep|>${JSON.stringify(step.set)}<|action_sep|>${step.text}\n`)
      .join(""),
    answer: predicted.steps.at(-1)?.value ?? null,
    expected: actual.result,
    trust: null,
    possibility: null,
    schedule: null,
    distribution: null,
    ...more,
  };
}

const tokenize = (text) => text.match(/[A-Za-z]{1,4}|\s+|\d{1,3}|[^A-Za-z\s\d]{1,2}/g) ?? [];

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
    const [actual, predicted] = [countWords(text), countWords(text, wrong)];
    if (kind === 4 && at % 2) {
      const short = { ...predicted, steps: actual.steps.slice(0, 9) };
      const options = { outcome: "truncated", cause: "truncated", ending: "the text ends within a step" };
      made.push(sample(`sample_${at}`, actual, short, options));
    } else made.push(sample(`sample_${at}`, actual, predicted, { cause }));
  }
  const attempts = [
    { intervention: "patch", description: "given the one actual value", is_correct: true, result: "turned correct" },
    {
      intervention: "expressions",
      description: "one operation a line",
      is_correct: false,
      result: "not correct: +0 steps",
    },
  ];
  const nll = factorial(6).steps.map((_, at) => ({
    action: at % 7 === 3 ? 1.2 : 0.02,
    state: at === 21 ? 4.5 : 0.1,
    is_action_greedy: at % 7 !== 3,
    is_state_greedy: at !== 21,
  }));
  made.push(
    sample("factorial", factorial(6), factorial(6, { wrongAt: 2 }), {
      cause: "arithmetic",
      more: { attempts, nll },
    }),
  );
  const long = Array.from({ length: 664 }, (_, at) => ["red,", "green.", "Blue", "grey"][at % 4] + (at % 9)).join(" ");
  const longRun = countWords(long, { wrongFrom: 400, wrong: "add" });
  made.push(sample("two_thousand_steps", countWords(long), longRun, { cause: "arithmetic" }));
  made.push(
    sample("empty_output", countWords(TEXTS[0]), { steps: [] }, { outcome: "empty_output", ending: "no text" }),
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
  const actual = { source, result: huge, steps: [step(2, names), step(3, { huge }), step(4, {}, huge)] };
  const other = {
    ...actual,
    steps: [step(2, names), step(3, { huge: huge + "\u202ey\ud800" }), step(null, {}, "'\u001b[2J'")],
  };
  return {
    ...sample(HOSTILE_ID, actual, other, { cause: "copy_error" }),
    output: "\u001b[2J\u202e" + huge.slice(0, 50_000),
  };
}

const LABELS = {
  correct: "Correct",
  incorrect: "Incorrect",
  truncated: "Truncated",
  diverged: "Diverged",
  empty_output: "Empty output",
  state: "State",
  return: "Return value",
  arithmetic: "Arithmetic",
  string_handling: "String handling",
  copy_error: "Copy error",
  patch: "Patch",
  expressions: "One operation per line, whole program",
};

const COLUMNS = [
  ["id", "Sample", "text"],
  ["verdict", "Verdict", "text"],
  ["outcome", "Outcome", "text"],
  ["where", "Differs in", "text"],
  ["kind", "Kind of value", "text"],
  ["cause", "Cause", "text"],
  ["predicted", "Predicted", "text"],
  ["actual", "Actual", "text"],
  ["step", "Diverged at", "number"],
  ["steps", "Actual steps", "number"],
];

function row(made) {
  const { divergence } = made;
  const kind = divergence
    ? divergence.actual.startsWith("{")
      ? "dict"
      : /^\d/.test(divergence.actual)
        ? "int"
        : "str"
    : null;
  const [where, step] = [divergence?.where ?? null, divergence?.step ?? null];
  return [
    made.id,
    made.verdict,
    made.outcome,
    where,
    kind,
    made.cause,
    divergence?.predicted ?? null,
    divergence?.actual ?? null,
    step,
    made.actual.steps.length,
  ];
}

/** A share with Wilson's interval. */
function share(correct, of) {
  if (of === 0) return { correct, of, low: null, high: null };
  const [z, p] = [1.96, correct / of];
  const [middle, half] = [p + (z * z) / (2 * of), z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))];
  const scale = 1 + (z * z) / of;
  return { correct, of, low: Math.max((middle - half) / scale, 0), high: Math.min((middle + half) / scale, 1) };
}

const tally = (values) => {
  const counts = new Map();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
};

const effect = (intervention, description, needs_actual, cause, recovered, tokens) => {
  return { intervention, description, needs_actual, cause, recovered, tokens };
};

function run(name, samples, rows) {
  const verdicts = Object.fromEntries(
    tally(samples.map((made) => made.verdict)).map(({ name, count }) => [name, count]),
  );
  const { correct = 0, incorrect = 0, truncated = 0 } = verdicts;
  const silent = samples.filter((made) => made.outcome === "empty_output").length;
  const bins = (labels, peak) =>
    labels.map((group, at) => ({ group, share: share(Math.round(peak * 0.7 ** at), Math.round(peak)) }));
  const sentences = {
    arithmetic: "calculated wrongly",
    string_handling: "handled the characters of a string wrongly",
    truncated: "ended by the token limit",
    copy_error: "copied wrongly",
  };
  const divergences = tally(rows.map((cells) => (cells[3] ? JSON.stringify([cells[3], cells[4]]) : null)));
  return {
    name,
    headline: `${samples.length} artificial samples.`,
    examples: samples
      .filter((made) => made.divergence && made.cause)
      .slice(0, 3)
      .map(({ id, divergence, cause }) => ({
        id,
        call: "main()",
        line: "word = word.strip('.,').lower()",
        step: divergence.step,
        where: divergence.where,
        variable: divergence.variable,
        actual: divergence.actual.slice(0, 120),
        predicted: divergence.predicted.slice(0, 120),
        cause,
        sentence: "an artificial error",
      })),
    header: ["artificial benchmark", "no model: a generator of errors", `${samples.length} samples in ${name}`],
    accuracy: {
      questions: samples.length,
      samples: samples.length + 2,
      correct,
      incorrect: incorrect - silent,
      no_answer: silent,
      truncated,
      infra_error: 2,
      of_all: share(correct, samples.length),
      of_answered: share(correct, samples.length - silent - truncated),
    },
    outcomes: tally(samples.map((made) => made.outcome)),
    causes: tally(samples.map((made) => made.cause)).map(({ name, count }) => ({
      name,
      count,
      sentence: sentences[name] ?? "",
      confirmed: name === "arithmetic" ? share(Math.ceil(count / 2), count) : null,
      refuted: name === "arithmetic" ? share(Math.floor(count / 4), count) : null,
    })),
    divergences: divergences.map(({ name, count }) => ({
      where: JSON.parse(name)[0],
      kind: JSON.parse(name)[1],
      count,
    })),
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
    one_step_accuracy: [
      "One-step accuracy, with the actual steps before given",
      "actions   99 of 100",
      "states    98 of 100",
    ],
    calibration: {
      questions: 32,
      error: 0.12,
      bins: [
        { low: 0.4, high: 0.6, confidence: 0.5, correct: share(4, 10) },
        { low: 0.8, high: 1, confidence: 0.95, correct: share(18, 22) },
      ],
    },
    trust: {
      results: 30,
      trusted: 12,
      threshold: 0.71,
      measured: {
        correct: share(18, 30),
        correct_trusted: share(11, 12),
        auroc: { value: 0.81, low: 0.7, high: 0.9 },
        curve: [
          [0.1, 0],
          [0.4, 0.08],
          [0.7, 0.24],
          [1, 0.4],
        ],
        excluded: 0,
        without_answer: 2,
      },
    },
    token_usage: {
      max_tokens: 1024,
      truncated,
      completion_tokens: {
        total: 28_410,
        median: 612,
        max: 1024,
        bins: [
          { group: "256–511", samples: 9, correct: 6, tokens: 3_600 },
          { group: "512–1023", samples: 20, correct: 11, tokens: 21_738 },
          { group: "1024–2047", samples: 3, correct: 0, tokens: 3_072 },
        ],
      },
      formats: [
        { codec: "cwm", tokens: 31_220, fitting: 24, traces: 32 },
        { codec: "delta", tokens: 11_904, fitting: 31, traces: 32 },
      ],
      tokenizer: "llama3",
      can_count: false,
    },
    operations: {
      unit: "characters",
      predictions: 40,
      programs: 38,
      diverged: 12,
      steps: share(288, 300),
      operations: [
        { name: "int +", single: share(118, 120), shared: share(30, 33), programs: 30 },
        { name: "str.replace", single: share(34, 41), shared: share(0, 0), programs: 21 },
      ],
      groups: [
        { by: "nesting", group: "1", ...share(200, 205) },
        { by: "nesting", group: "2", ...share(88, 95) },
      ],
      model: {
        steps: 300,
        wrong: 12,
        programs: 38,
        reference: "all other steps",
        alone: [{ name: "str.replace", value: 0.2, low: 0.06, high: 0.7 }],
        adjusted: [
          { name: "str.replace", value: 0.9, low: 0.3, high: 2.8 },
          { name: "size, per doubling", value: 0.6, low: 0.4, high: 0.9 },
        ],
        sentences: ["str.replace: size and nesting explain it, not the operation"],
      },
      note: "",
    },
    can_measure_operations: false,
    interventions: {
      failures: 26,
      effects: [
        effect("patch", "given the one actual value", true, "arithmetic", share(9, 12), 1.02),
        effect("expressions", "one operation a line", false, "string_handling", share(4, 11), 1.61),
        effect("expressions", "one operation a line", false, null, share(4, 11), 1.61),
      ],
      fixes: ["expressions: turns 4 of 11 correct at 1.61× the tokens", "cheapest fix that gains: expressions"],
    },
    columns: COLUMNS.map(([name, title, type], at) => ({
      name,
      title,
      type,
      values:
        type === "text" && at > 0
          ? tally(rows.map((cells) => cells[at])).map(({ name, count }) => [name, count])
          : null,
    })),
  };
}

const samples = [makeSamples(false), makeSamples(true)];
const rows = samples.map((made) => made.map(row));
const isCorrect = (made) => made.verdict === "correct";
const pairs = samples[0].map((made, at) => [made, samples[1][at]]);
const gained = pairs.filter(([a, b]) => !isCorrect(a) && isCorrect(b)).map(([a]) => a.id);
const lost = pairs.filter(([a, b]) => isCorrect(a) && !isCorrect(b)).map(([a]) => a.id);
const difference = {
  of: pairs.length,
  value: (gained.length - lost.length) / pairs.length,
  low: -0.12,
  high: 0.19,
  p: 0.77,
};
const changed = (id) => ({ id, cause: null, a: "Incorrect", b: "Correct" });
const change = (by, group, gained, lost, difference) => {
  return { by, group, pairs: 32, gained, lost, difference, adjusted_p: difference.p };
};
const report = {
  format: 7,
  homepage: null,
  labels: LABELS,
  worldline: "0.1.0",
  runs: [run("runs/base", samples[0], rows[0]), run("runs/tuned", samples[1], rows[1])],
  comparison: {
    headline: `runs/tuned gains ${gained.length} and loses ${lost.length} of 32: no significant difference`,
    a: share(samples[0].filter(isCorrect).length, 32),
    b: share(samples[1].filter(isCorrect).length, 32),
    difference,
    gained: gained.map(changed),
    lost: [...lost, HOSTILE_ID].map(changed),
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
    notes: ["in both: 4 correct, 20 not correct"],
  },
};
writeFileSync(process.argv[2] ?? "fixture.html", embed({ report, rows, samples }));
