// TypeScript without its types: they are replaced by spaces, so that lines and columns stay.
import blankSpace from "ts-blank-space";

/** @throws {SyntaxError} The program has syntax that is more than a type, such as an enum. */
export function stripTypes(text) {
  let unsupported = null;
  const stripped = blankSpace(text, (node) => {
    unsupported ??= node;
  });
  if (unsupported !== null) {
    const line = text.slice(0, unsupported.pos).split("\n").length;
    throw new SyntaxError(`line ${line}: enum, namespace and parameter properties are not supported`);
  }
  return stripped;
}
