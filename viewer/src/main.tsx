/** Entry point of the page. */
import { render } from "preact";
import type { DataSource } from "./api";
import { embeddedSource } from "./dataSource/embedded";
import { serverSource } from "./dataSource/server";
import "./styles.css";
import "./charts.css";
import "./choices.css";
import "./glossary.css";
import "./project/project.css";
import { openProject } from "./project/source";
import "./samplePage.css";
import { App } from "./views/app";
import { ProjectApp } from "./views/projectPage";
import { restoreTheme } from "./views/theme";

/** The page's server if it names one, or else the documents embedded in the page. */
function openDataSource(page: Document): DataSource {
  const api = page.querySelector<HTMLMetaElement>('meta[name="worldline-api"]')?.content;
  if (api) return serverSource(api);
  return embeddedSource((id) => page.querySelector(`script[type="application/json"]#${id}`)?.textContent ?? null);
}

restoreTheme();
const root = document.getElementById("app");
const project = openProject(document);
const home = document.querySelector<HTMLMetaElement>('meta[name="worldline-home"]')?.content ?? null;
if (root) render(project ? <ProjectApp data={project} /> : <App data={openDataSource(document)} home={home} />, root);
