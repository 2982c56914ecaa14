/** The page's own source: its server where it names one, or else what stands in it. */
import type { Source } from "../contract";
import { fileSource } from "./file";
import { serverSource } from "./server";

export function findSource(page: Document): Source {
  const api = page.querySelector<HTMLMetaElement>('meta[name="worldline-api"]')?.content;
  if (api) return serverSource(api);
  return fileSource((id) => page.querySelector(`script[type="application/json"]#${id}`)?.textContent ?? null);
}
