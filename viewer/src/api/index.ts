/**
 * Types of the JSON documents that Python writes and this page reads.
 *
 * Python builds them in src/worldline/interfaces/viewer (run_documents.py, sample_document.py, sample_table.py), with
 * the same keys. Every string may come from a program, a model or a file of unknown origin: it is text, never markup.
 */

export { FORMAT } from "./format";
export type * from "./runDocument";
export type * from "./comparison";
export type * from "./distribution";
export type * from "./sampleDocument";
export type * from "./report";
export type * from "./project";
