/** Data sources of a project page: a server, or the document that is embedded in the page. */
import { FORMAT } from "../api";
import type { Differences, OperationChange, ProjectDocument, ProjectSource } from "../api";
import { ViewerError } from "../dataSource/errors";
import { requestJson } from "../dataSource/server";
import { encode } from "../route";

/** The project of a page; null if the page shows runs. */
export function openProject(page: Document): ProjectSource | null {
  const api = page.querySelector<HTMLMetaElement>('meta[name="worldline-project"]')?.content;
  if (api) return servedProject(api);
  const text = page.querySelector('script[type="application/json"]#project')?.textContent;
  return text ? embeddedProject(text) : null;
}

export function servedProject(api: string, request: typeof fetch = (...args) => fetch(...args)): ProjectSource {
  const get = <T>(path: string) => requestJson<T>(request, api + path);
  return {
    isServed: true,
    project: async () => checkProject(await get<ProjectDocument>("project")),
    differences: (baseline) => get<Differences>(`differences?baseline=${encode(baseline)}`),
    operationChanges: (a, b) => get<OperationChange[]>(`operations?a=${encode(a)}&b=${encode(b)}`),
  };
}

export function embeddedProject(text: string): ProjectSource {
  const project = async () => checkProject(JSON.parse(text) as ProjectDocument);
  return {
    isServed: false,
    project,
    async differences() {
      const { differences } = await project();
      if (differences === null) throw new ViewerError("This page has no differences. Create it again.");
      return differences;
    },
    async operationChanges() {
      throw new ViewerError("This page contains no operations. Use worldline view.");
    },
  };
}

function checkProject(project: ProjectDocument): ProjectDocument {
  if (project?.format !== FORMAT || !Array.isArray(project.runs))
    throw new ViewerError("This page was written by a different version of Worldline. Create it again with this one.");
  return project;
}
