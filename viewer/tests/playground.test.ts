import { expect, test, vi } from "vitest";
import { complete, requestBody } from "../src/playground/modelServer";
import { PythonFrame } from "../src/playground/pythonFrame";
import { toRow } from "../src/playground/settings";
import { decodeInputs, encodeInputs } from "../src/playground/sharedLink";

const INPUTS = { code: "def f(x):\n    return 'Ünï 🐍'\n", call: "f(1)", output: "<b>&#?\ud83d</b>", codec: "chat" };

test("a link contains all inputs, in the alphabet of URLs", async () => {
  const link = await encodeInputs(INPUTS);
  expect(link).toMatch(/^[\w-]+$/);
  expect(await decodeInputs(link)).toEqual(INPUTS);
});

test("other text is no link", async () => {
  for (const text of ["", "abc", "%%%", await encodeInputs(INPUTS).then((link) => link.slice(0, -9))])
    expect(await decodeInputs(text)).toBeNull();
});

test("a program with a marked entry point and no call contains its call", () => {
  const code = "def main(): # << START_OF_TRACE\n    return 1\n";
  expect(toRow({ ...INPUTS, code, call: " " })).toEqual({
    id: "prediction",
    context: code,
    output: INPUTS.output,
    codec: "chat",
  });
  expect(toRow(INPUTS)).toEqual({ id: "f(1)", ...INPUTS });
});

test("the user's messages are the first and the last", () => {
  const { messages } = requestBody("m", ["a", "b", "c"]);
  expect(messages).toEqual([
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
    { role: "user", content: "c" },
  ]);
});

test("the key is sent in a header, and only if there is one", async () => {
  const seen: [string, Record<string, string>][] = [];
  const request = (async (url: string, options: { headers: Record<string, string> }) => {
    seen.push([url, options.headers]);
    return new Response(JSON.stringify({ choices: [{ message: { content: "x" } }] }));
  }) as unknown as typeof fetch;
  expect(await complete({ url: "http://127.0.0.1/v1/", model: "m", key: "k" }, ["a"], request)).toBe("x");
  await complete({ url: "http://127.0.0.1/v1", model: "m", key: "" }, ["a"], request);
  expect(seen.map(([url]) => url)).toEqual(Array(2).fill("http://127.0.0.1/v1/chat/completions"));
  expect(seen.map(([, headers]) => headers["Authorization"])).toEqual(["Bearer k", undefined]);
});

test("an error says what the server said", async () => {
  const answers = [new Response("no such model", { status: 404 }), new Response("<html>")];
  const request = (async () => answers.shift()) as unknown as typeof fetch;
  const server = { url: "http://127.0.0.1/v1", model: "m", key: "" };
  await expect(complete(server, ["a"], request)).rejects.toThrow("404: no such model");
  await expect(complete(server, ["a"], request)).rejects.toThrow("not a chat completion");
  const failing = (async () => Promise.reject(new Error())) as unknown as typeof fetch;
  await expect(complete(server, ["a"], failing)).rejects.toThrow("CORS");
});

test("each request gets its own answer, although it is made while another is answered", async () => {
  let receive: (event: unknown) => void = () => {};
  vi.stubGlobal("addEventListener", (_: string, listener: typeof receive) => (receive = listener));
  const asked: string[] = [];
  const contentWindow = {
    postMessage: ({ kind, request }: { kind: string; request: string }) => {
      if (kind === "ask") asked.push(request);
      if (kind === "restart") receive({ source: contentWindow, data: { kind: "ready" } });
    },
  };
  const frame = new PythonFrame({ contentWindow } as unknown as HTMLIFrameElement, () => {});
  receive({ source: contentWindow, data: { kind: "ready" } });
  const answers = Promise.all([frame.ask("a"), frame.ask("b", { restart: false }), frame.ask("c")]);
  for (const request of ['"a"', '"b"', '"c"']) {
    await vi.waitFor(() => expect(asked.at(-1)).toBe(request));
    receive({ source: contentWindow, data: { kind: "answer", text: `to ${request}` } });
  }
  expect(await answers).toEqual(['to "a"', 'to "b"', 'to "c"']);
  vi.unstubAllGlobals();
});
