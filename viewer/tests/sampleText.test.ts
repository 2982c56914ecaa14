import { expect, test } from "vitest";
import type { SampleDocument } from "../src/api";
import { toCommand, toMarkdown } from "../src/sampleText";

const SAMPLE = {
  id: "sample_4",
  summary: "'a' instead of 'b': copied wrongly",
  source: "def f():\n    return 'b'\n",
  cause: "copy_error",
  divergence: { step: 5, where: "state", variable: "s", actual: "'b'", predicted: "'a'", differences: [] },
} as unknown as SampleDocument;

test("The program is marked with its language", () => {
  const text = toMarkdown({ ...SAMPLE, source: "f();\n", language: "typescript" }, "runs/a", "");
  expect(text).toContain("```typescript\nf();\n```");
});

test("Markdown contains the values, the program and the command", () => {
  const text = toMarkdown(SAMPLE, "runs/a", "http://127.0.0.1/x#/run/0/sample/sample_4");
  expect(text).toContain("First divergence at step 5: state `s`");
  expect(text).toContain("- actual: `'b'`\n- predicted: `'a'`");
  expect(text).toContain("```python\ndef f():\n    return 'b'\n```");
  expect(text).toContain("`worldline show runs/a sample_4`");
  expect(text).toContain("http://127.0.0.1/x#/run/0/sample/sample_4");
});

test("long values are shortened around the difference", () => {
  const [actual, predicted] = [`'${"x".repeat(900)}b'`, `'${"x".repeat(900)}a'`];
  const divergence = { ...SAMPLE.divergence!, actual, predicted };
  const text = toMarkdown({ ...SAMPLE, divergence }, "runs/a", "");
  expect(text).toMatch(/^- actual: `…x+b'`\n- predicted: `…x+a'`$/m);
  expect(text).not.toContain("x".repeat(400));
});

test("the address of a file is not part of it", () => {
  expect(toMarkdown(SAMPLE, "runs/a", "file:///home/me/report.html")).not.toContain("file:");
});

test("backticks in a program do not end its block", () => {
  const text = toMarkdown({ ...SAMPLE, source: "x = '```'\n" }, "runs/a", "");
  expect(text).toContain("````python\nx = '```'\n````");
});

test("arguments of the command are quoted if necessary", () => {
  expect(toCommand({ ...SAMPLE, id: "it's" }, "my runs")).toBe(`worldline show 'my runs' 'it'"'"'s'`);
});
