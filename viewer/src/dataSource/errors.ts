/** An error whose message tells the user what to do. */
export class ViewerError extends Error {}

export const DAMAGED_DATA = "The data in this page is damaged. Create the report again.";

/** The message to show for a thrown value. */
export function errorMessage(error: unknown): string {
  if (error instanceof ViewerError) return error.message;
  return `This part of the page cannot be shown (${String(error)}). Create the report again with this version of Worldline.`;
}
