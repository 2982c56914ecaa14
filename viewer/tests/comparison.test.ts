import { expect, test } from "vitest";
import { groupTitle, splitHeadline } from "../src/views/comparisonPage";

test("the numbers of gained and lost samples are parts of the headline", () => {
  const headline = "31 gained (B) is correct on 27 more (+13.5 points; 31 gained, 4 lost; p < 0.001)";
  expect(splitHeadline(headline, 31, 4)).toEqual([
    { text: "31 gained (B) is correct on 27 more (+13.5 points; ", change: null },
    { text: "31 gained", change: "gained" },
    { text: ", ", change: null },
    { text: "4 lost", change: "lost" },
    { text: "; p < 0.001)", change: null },
  ]);
  expect(splitHeadline("2 gained, 0 lost", 2, 0)).toEqual([
    { text: "", change: null },
    { text: "2 gained", change: "gained" },
    { text: ", 0 lost", change: null },
  ]);
  expect(splitHeadline("Nothing differs", 0, 0)).toEqual([{ text: "Nothing differs", change: null }]);
});

test("groups of the diagnosis say that they are of failures", () => {
  expect(groupTitle({ by: "outcome", is_of_failures: true })).toBe("Trace, of failures");
  expect(groupTitle({ by: "call_depth", is_of_failures: false })).toBe("Call depth");
});
