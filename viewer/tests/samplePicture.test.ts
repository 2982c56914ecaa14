import { expect, test } from "vitest";
import type { SampleDocument, Step } from "../src/api";
import { escapeXml, type PictureColours, toSvg } from "../src/samplePicture";

const COLOURS: PictureColours = {
  back: "#fff",
  panel: "#eee",
  text: "#000",
  muted: "#666",
  line: "#ccc",
  accent: "#00f",
  good: "#080",
  wrong: "#f00",
  wrongBack: "#fdd",
};

const step = (text: string, value: string): Step => ({
  event: "line",
  line: 1,
  text,
  changed: ["x"],
  set: { x: value },
  unset: [],
  value: null,
});

function sampleOf(actual: string, predicted: string, id = "s"): SampleDocument {
  return {
    id,
    verdict: "incorrect",
    outcome: "diverged",
    cause: "copy_error",
    summary: `${predicted} instead of ${actual}: copied wrongly`,
    facts: [],
    reason: null,
    source: "x = 1",
    actual: { steps: [step("y = 0", "0"), step("x = y", actual)], ending: "" },
    predicted: { steps: [step("y = 0", "0"), step("x = y", predicted)], ending: "" },
    matched_steps: 1,
    divergence: {
      step: 1,
      where: "state",
      variable: "x",
      executed_line: 1,
      actual,
      predicted,
      differences: [{ name: "x", actual, predicted }],
    },
    matches_after_divergence: [false],
    stale_variables: {},
    value_tokens: null,
    nll: null,
    attempts: [],
    prompt: "",
    output: "",
    answer: null,
    expected: null,
    trust: null,
    possibility: null,
    schedule: null,
    distribution: null,
  };
}

/** The lines of text of a picture. */
function linesOf(svg: string): string[] {
  const text = (content: string) =>
    content.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  return [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, content]) => text(content ?? ""));
}

/** The texts that are marked as a difference. */
function marked(svg: string): string[] {
  return [...svg.matchAll(/text-decoration="underline">(.*?)<\/tspan>/g)].map(([, text]) => text ?? "");
}

test("the picture has both values, the steps and the last line", () => {
  const svg = toSvg(sampleOf("4", "3"), COLOURS, "Made with Worldline 1.0");
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="960"/);
  expect(svg).not.toContain("line-through");
  expect(linesOf(svg)).toEqual(expect.arrayContaining(["Actual     4", "Predicted  3"]));
  expect(svg).toContain('<tspan fill="#080" font-weight="600">x=4</tspan>');
  expect(svg).toContain('<tspan fill="#f00" font-weight="600">x=3</tspan>');
  expect(svg).toContain("Made with Worldline 1.0");
});

test("the values are labelled, the actual one first, and only their difference is marked", () => {
  const svg = toSvg(sampleOf("'one two'", "'one  two!'"), COLOURS, "");
  const lines = linesOf(svg);
  expect(lines.indexOf("Actual     'one·‸two‸'")).toBe(lines.indexOf("Predicted  'one··two!'") - 1);
  expect(lines).toContain("Actual     'one·‸two‸'");
  expect(marked(svg)).toEqual(["·", "!"]);
});

test("overlooked spaces are dots, as on the page", () => {
  const lines = linesOf(toSvg(sampleOf("'   '", "'  '"), COLOURS, ""));
  expect(lines).toContain("'··' instead of '···': copied wrongly");
  expect(lines).toContain("x = y  x='···'");
  expect(lines).toContain("Actual     '···'");
});

test("two different source lines are shown whole", () => {
  const sample = sampleOf("return x", "x = 1");
  const { divergence } = sample;
  const svg = toSvg({ ...sample, divergence: divergence && { ...divergence, where: "action" } }, COLOURS, "");
  expect(linesOf(svg)).toEqual(expect.arrayContaining(["Actual     return x", "Predicted  x = 1"]));
  expect(marked(svg)).toEqual([]);
});

test("a value that is absent is named, without a mark", () => {
  const svg = toSvg(sampleOf("", "3"), COLOURS, "");
  expect(linesOf(svg)).toContain("Actual     nothing");
  expect(marked(svg)).toEqual(["3"]);
});

test("long values are shortened around the difference", () => {
  const svg = toSvg(sampleOf("'" + "a".repeat(500) + "b'", "'" + "a".repeat(500) + "c'"), COLOURS, "");
  expect(linesOf(svg).find((line) => line.startsWith("Actual  "))).toMatch(/^Actual +…a+b'$/);
  expect(linesOf(svg).find((line) => line.startsWith("Predicted  "))).toMatch(/^Predicted +…a+c'$/);
  expect(marked(svg)).toEqual(["b", "c"]);
  expect(svg).not.toContain("a".repeat(200));
});

test("texts of a sample are never markup, and every character is allowed in XML", () => {
  const hostile = "</text><script>alert(1)</script>&\"'\u0000\u001b\u202e\ud800\ufffe\uffff";
  const svg = toSvg(sampleOf(hostile, "1", hostile), COLOURS, "");
  expect(svg).not.toContain("<script");
  expect(svg).not.toMatch(/[\u0000-\u001f\u202e\ud800-\udfff\ufffe\uffff]/);
  expect(escapeXml("<\ufffe>")).toBe("&#60;\\ufffe&#62;");
});
