/** What keeps the page from its data, in a sentence that says what to do. */
export class Problem extends Error {}

export const DAMAGED = "The data in this page is damaged. Make the report again with Worldline.";

/** The sentence for whatever was thrown. */
export function sentence(error: unknown): string {
  if (error instanceof Problem) return error.message;
  return `Something here cannot be shown (${String(error)}). Make the report again with the same version of Worldline.`;
}
