/** Completions of a server that the user names, with the OpenAI-compatible chat API. */

export interface Server {
  url: string;
  model: string;
  /** Kept in memory only. */
  key: string;
}

const MAX_TOKENS = 4096;

/** The body of a request; the messages of the user are the first and the last. */
export function requestBody(model: string, prompt: string[]): Record<string, unknown> {
  const messages = prompt.map((content, index) => ({ role: index % 2 ? "assistant" : "user", content }));
  return { model, messages, max_tokens: MAX_TOKENS, temperature: 0 };
}

/** Asks the server; an error says what to do. */
export async function complete(
  server: Server,
  prompt: string[],
  request: typeof fetch = (...args) => fetch(...args),
): Promise<string> {
  const response = await request(`${server.url.trim().replace(/\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(server.key && { Authorization: `Bearer ${server.key}` }) },
    body: JSON.stringify(requestBody(server.model, prompt)),
    credentials: "omit",
    referrerPolicy: "no-referrer",
  }).catch(() => {
    throw new Error("The server does not respond, or does not allow requests of this page (CORS).");
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The server responded with status ${response.status}: ${text.slice(0, 300)}`);
  const content = readContent(text);
  if (content === null) throw new Error("The server's response is not a chat completion.");
  return content;
}

function readContent(text: string): string | null {
  try {
    const content: unknown = JSON.parse(text).choices[0].message.content;
    return typeof content === "string" ? content : null;
  } catch {
    return null;
  }
}
