/** Data of the page: what it contains, and what a user writes into it. */
import type { ReportDocument, SampleDocument } from "../api";

/** What a user wants to have diagnosed: a row of a prediction file. */
export interface Inputs {
  code: string;
  call: string;
  output: string;
  codec: string;
}

export interface Example extends Inputs {
  title: string;
}

/** `playground_settings` in src/worldline/interfaces/playground. */
export interface PlaygroundSettings extends Pick<ReportDocument, "labels" | "column_labels" | "worldline"> {
  formats: { name: string; title: string }[];
  examples: Example[];
}

/** The answer of `answer_request` in src/worldline/interfaces/playground. */
export type Answer = { error: string } | { document: SampleDocument };
export type PromptAnswer = { error: string } | { prompt: string[]; is_chat: boolean };

/** Text that marks the function of a program in which the trace starts. */
const ENTRY = "# << START_OF_TRACE";

/** The row of a prediction file; a program with a marked entry point contains its call. */
export function toRow({ code, call, output, codec }: Inputs): Record<string, string> {
  const program: Record<string, string> =
    code.includes(ENTRY) && call.trim() === "" ? { context: code } : { code, call };
  return { id: call.trim() || "prediction", ...program, output, codec };
}
