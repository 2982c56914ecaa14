/** Format of all documents; `FORMAT` in run_documents.py. */
export const FORMAT = 10;
