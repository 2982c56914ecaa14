/** Page of a project: all runs of a folder, their trend, and what changed between two of them. */
import { useEffect, useState } from "preact/hooks";
import type { ProjectDocument, ProjectSource, RunDifference } from "../api";
import { escapeHidden, shorten } from "../escape";
import { formatCount, pluralize } from "../numberFormat";
import {
  bestRuns,
  compareNames,
  fromProjectHash,
  projectTitle,
  type ProjectState,
  selectRuns,
  toProjectHash,
} from "../project/state";
import { useAsync } from "../useAsync";
import { Footer } from "./app";
import { Panel } from "./elements";
import { Logo } from "./icons";
import { ErrorBoundary, Loading, Message } from "./message";
import { OperationChanges } from "./operationChanges";
import { RunChart } from "./runChart";
import { RunTable } from "./runTable";
import { Text } from "./text";
import { ThemeSwitch } from "./theme";
import { TrendView } from "./trend";

/** Changes a part of the page's state. */
export type StateUpdate = (next: Partial<ProjectState>) => void;

export function ProjectApp({ data }: { data: ProjectSource }) {
  const [project, retry] = useAsync("project", () => data.project());
  useEffect(() => {
    const name = project.status === "ready" ? projectTitle(project.value.name) : "Runs";
    document.title = `${escapeHidden(shorten(name, 80))} – Worldline`;
  });
  return (
    <>
      <header class="top">
        <a class="brand" href="#">
          <Logo /> Worldline
        </a>
        <span class="right">
          <ThemeSwitch />
        </span>
      </header>
      <main>
        {project.status === "loading" && <Loading />}
        {project.status === "error" && <Message text={project.message} retry={retry} />}
        {project.status === "ready" && (
          <ErrorBoundary>
            <ProjectPage data={data} project={project.value} />
          </ErrorBoundary>
        )}
      </main>
      {project.status === "ready" && <Footer of={project.value} />}
    </>
  );
}

function useProjectState(): [ProjectState, StateUpdate] {
  const [state, setState] = useState(() => fromProjectHash(location.hash));
  useEffect(() => {
    const read = () => setState(fromProjectHash(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  const update = (next: Partial<ProjectState>) => {
    const changed = { ...state, ...next };
    history.replaceState(null, "", toProjectHash(changed));
    setState(changed);
  };
  return [state, update];
}

function ProjectPage({ data, project }: { data: ProjectSource; project: ProjectDocument }) {
  const [state, update] = useProjectState();
  const names = project.runs.map((run) => run.id).sort(compareNames);
  const baseline = names.includes(state.baseline) ? state.baseline : (project.differences?.baseline ?? names[0] ?? "");
  const [loaded, retry] = useAsync(`differences ${baseline}`, async () =>
    names.length > 1 ? data.differences(baseline) : { baseline, runs: [] },
  );
  const differences = new Map<string, RunDifference>();
  if (loaded.status === "ready") for (const each of loaded.value.runs) differences.set(each.run, each);
  const models = new Set(project.runs.map((run) => run.model));
  const runs = selectRuns(project.runs, state, differences);
  const comparisons = [...differences.values()].filter(({ answered }) => answered.value !== null).length;
  return (
    <div class="overview">
      <h1 title={escapeHidden(project.name)}>
        <Text of={projectTitle(project.name)} />
      </h1>
      {models.size === 1 && !models.has("") && (
        <p class="subtitle">
          <Text of={`All runs: ${[...models].join()}`} />
        </p>
      )}
      {project.runs.length > 1 && (
        <Panel title="Correct of answered samples, with 95% intervals" isWide>
          <RunChart runs={project.runs} isServed={data.isServed} />
        </Panel>
      )}
      {project.trends.length > 0 && (
        <Panel title="Accuracy over the checkpoints of one model" isWide>
          <TrendView trends={project.trends} isServed={data.isServed} state={state} update={update} />
        </Panel>
      )}
      <RunFilters project={project} state={state} update={update} names={names} baseline={baseline} data={data} />
      <p role="status" class="note">
        {runs.length === project.runs.length
          ? pluralize(runs.length, "run")
          : `${formatCount(runs.length)} of ${pluralize(project.runs.length, "run")}`}
      </p>
      {loaded.status === "error" && <Message text={loaded.message} retry={retry} />}
      <RunTable
        runs={runs}
        baseline={baseline}
        differences={differences}
        isServed={data.isServed}
        state={state}
        update={update}
        hasModels={models.size > 1}
      />
      <p class="note">
        Difference to the baseline in points, over the samples that both runs answered, with its 95% interval and the
        p-value of the paired test. The p-value is adjusted for {pluralize(comparisons, "comparison")}{" "}
        (Benjamini–Hochberg), the interval is not: an interval without 0 can have an adjusted p above 0.05. Truncated
        samples, samples without an answer and infrastructure errors are in no difference.
      </p>
      {project.unreadable.map(({ run, error }) => (
        <p class="note">
          <Text of={`${run} cannot be read: ${error}`} />
        </p>
      ))}
      <div class="panels">
        {data.isServed && names.length > 1 && (
          <Panel title="Operations that got better and worse between two runs" isWide>
            <OperationChanges data={data} names={names} best={bestRuns(project.runs)} state={state} update={update} />
          </Panel>
        )}
      </div>
    </div>
  );
}

interface FilterProps {
  data: ProjectSource;
  project: ProjectDocument;
  state: ProjectState;
  update: StateUpdate;
  names: string[];
  baseline: string;
}

function RunFilters({ data, project, state, update, names, baseline }: FilterProps) {
  const values = (of: "model" | "benchmark") => [...new Set(project.runs.map((run) => run[of]))].sort(compareNames);
  return (
    <div class="filters" role="search">
      <label class="search">
        <span>Search</span>
        <input
          type="search"
          placeholder="Runs, models and settings"
          value={state.search}
          onInput={(event) => update({ search: event.currentTarget.value })}
        />
      </label>
      {(["model", "benchmark"] as const).map(
        (name) =>
          values(name).length > 1 && (
            <label>
              <span>{name === "model" ? "Model" : "Benchmark"}</span>
              <select value={state[name]} onChange={(event) => update({ [name]: event.currentTarget.value })}>
                <option value="">Any</option>
                {values(name)
                  .filter((value) => value !== "")
                  .map((value) => (
                    <option value={value}>{escapeHidden(shorten(value, 60))}</option>
                  ))}
              </select>
            </label>
          ),
      )}
      {data.isServed && (
        <RunSelect title="Baseline" names={names} value={baseline} choose={(id) => update({ baseline: id })} />
      )}
    </div>
  );
}

interface SelectProps {
  title: string;
  names: string[];
  value: string;
  choose: (id: string) => void;
}

/** A menu of runs. */
export function RunSelect({ title, names, value, choose }: SelectProps) {
  return (
    <label>
      <span>{title}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {names.map((name) => (
          <option value={name}>{escapeHidden(shorten(name, 60))}</option>
        ))}
      </select>
    </label>
  );
}
