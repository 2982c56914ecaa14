/** The inputs as text for a link: JSON, compressed, in the alphabet of URLs. Nothing is uploaded. */
import type { Inputs } from "./settings";

const NAMES = ["code", "call", "output", "codec"] as const;
/** Characters of a link that is still opened. */
const MAX_CHARS = 1_000_000;

export async function encodeInputs(inputs: Inputs): Promise<string> {
  const text = JSON.stringify(NAMES.map((name) => inputs[name]));
  const bytes = await convert(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The inverse of `encodeInputs`; null for other text. */
export async function decodeInputs(text: string): Promise<Inputs | null> {
  try {
    if (text.length > MAX_CHARS) return null;
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const values: unknown = JSON.parse(
      new TextDecoder().decode(await convert(bytes, new DecompressionStream("deflate-raw"))),
    );
    if (!Array.isArray(values) || values.length !== NAMES.length) return null;
    const [code, call, output, codec] = values.map(String) as [string, string, string, string];
    return { code, call, output, codec };
  } catch {
    return null;
  }
}

export async function convert(bytes: BlobPart, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const converted = new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(converted).arrayBuffer());
}
