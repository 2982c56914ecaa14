/** Entry point of the page. */
import { render } from "preact";
import type { DataSource } from "./api";
import { embeddedSource } from "./dataSource/embedded";
import { serverSource } from "./dataSource/server";
import "./styles.css";
import "./charts.css";
import "./glossary.css";
import "./samplePage.css";
import { App } from "./views/app";
import { restoreTheme } from "./views/theme";

/** The page's server if it names one, or else the documents embedded in the page. */
function openDataSource(page: Document): DataSource {
  const api = page.querySelector<HTMLMetaElement>('meta[name="worldline-api"]')?.content;
  if (api) return serverSource(api);
  return embeddedSource((id) => page.querySelector(`script[type="application/json"]#${id}`)?.textContent ?? null);
}

restoreTheme();
const root = document.getElementById("app");
if (root) render(<App data={openDataSource(document)} />, root);
