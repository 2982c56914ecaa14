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
  wrong: "#f00",
  wrongBack: "#fdd",
  good: "#080",
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
  };
}

test("the picture has both values, the steps and the last line", () => {
  const svg = toSvg(sampleOf("4", "3"), COLOURS, "Made with Worldline 1.0");
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="960"/);
  expect(svg).toContain('text-decoration="line-through">3</tspan>');
  expect(svg).toContain('<tspan fill="#080">4</tspan>');
  expect(svg).toContain('<tspan fill="#f00" font-weight="600">x=3</tspan>');
  expect(svg).toContain("Made with Worldline 1.0");
});

test("long values are shortened around the difference", () => {
  const svg = toSvg(sampleOf("'" + "a".repeat(500) + "b'", "'" + "a".repeat(500) + "c'"), COLOURS, "");
  expect(svg).toMatch(/…a+c&#39;<\/tspan>/);
  expect(svg).not.toContain("a".repeat(200));
});

test("texts of a sample are never markup, and every character is allowed in XML", () => {
  const hostile = "</text><script>alert(1)</script>&\"'\u0000\u001b\u202e\ud800\ufffe\uffff";
  const svg = toSvg(sampleOf(hostile, "1", hostile), COLOURS, "");
  expect(svg).not.toContain("<script");
  expect(svg).not.toMatch(/[\u0000-\u001f\u202e\ud800-\udfff\ufffe\uffff]/);
  expect(escapeXml("<\ufffe>")).toBe("&#60;\\ufffe&#62;");
});
