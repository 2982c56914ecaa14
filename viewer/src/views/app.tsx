/** The whole page: header, and the view of the current route. */
import { useEffect, useState } from "preact/hooks";
import type { DataSource, ReportDocument } from "../api";
import { escapeHidden, shorten } from "../escape";
import { runLabel, setLabels } from "../labels";
import { useRoute } from "../navigation";
import { type Route, toHash } from "../route";
import { useShortcuts } from "../shortcuts";
import { lastList } from "../siblings";
import { useAsync } from "../useAsync";
import { ComparisonPage } from "./comparisonPage";
import { DefinitionTip } from "./defined";
import { HelpDialog } from "./helpDialog";
import { ErrorBoundary, Loading, Message } from "./message";
import { OverviewPage } from "./overviewPage";
import { SampleListPage } from "./sampleListPage";
import { SamplePage } from "./samplePage";
import { Icon, Logo } from "./icons";
import { Text } from "./text";
import { ThemeSwitch } from "./theme";

/** `home`: the address of the project that the runs belong to. */
export function App({ data, home }: { data: DataSource; home: string | null }) {
  const [report, retry] = useAsync("report", () => loadReport(data));
  const [isHelpOpen, setHelpOpen] = useState(false);
  const route = useRoute();
  useShortcuts({ "?": () => setHelpOpen(true) });
  useEffect(() => {
    document.title = pageTitle(route, report.status === "ready" ? report.value : null);
  });
  return (
    <>
      <header class="top">
        <a class="brand" href="#/run/0">
          <Logo /> Worldline
        </a>
        {home !== null && <a href={home}>All runs</a>}
        {report.status === "ready" && <RunNav report={report.value} route={route} />}
        <span class="right">
          <ThemeSwitch />
          <button type="button" onClick={() => setHelpOpen(true)} aria-label="Help" title="Help (key ?)">
            <Icon name="keyboard" />
          </button>
        </span>
      </header>
      <main>
        {report.status === "loading" && <Loading />}
        {report.status === "error" && <Message text={report.message} retry={retry} />}
        {report.status === "ready" && (
          <ErrorBoundary key={`${route.page} ${"run" in route ? route.run : ""}`}>
            <View data={data} report={report.value} route={route} />
          </ErrorBoundary>
        )}
      </main>
      {report.status === "ready" && <Footer of={report.value} />}
      <DefinitionTip />
      {isHelpOpen && <HelpDialog close={() => setHelpOpen(false)} />}
    </>
  );
}

export function Footer({ of: { worldline, homepage } }: { of: Pick<ReportDocument, "worldline" | "homepage"> }) {
  return (
    <footer>
      Made with{" "}
      {homepage === null ? (
        "Worldline"
      ) : (
        <a href={homepage} rel="noreferrer">
          Worldline
        </a>
      )}{" "}
      <Text of={worldline} />
    </footer>
  );
}

/** Loads the report and registers its labels. */
async function loadReport(data: DataSource): Promise<ReportDocument> {
  const report = await data.report();
  setLabels(report.labels, report.column_labels);
  return report;
}

function View({ data, report, route }: { data: DataSource; report: ReportDocument; route: Route }) {
  if (route.page === "compare") {
    if (report.comparison) return <ComparisonPage report={report} comparison={report.comparison} />;
    return <Message text="This report has one run only. Create a report of two runs to compare them." />;
  }
  const run = report.runs[route.run];
  if (!run) return <Message text={`This report has no run ${route.run}. Choose one above.`} />;
  if (route.page === "overview")
    return <OverviewPage key={route.run} data={data} report={report} index={route.run} by={route.by} />;
  if (route.page === "samples") return <SampleListPage data={data} report={report} run={run} route={route} />;
  return <SamplePage key={`${route.run} ${route.id}`} data={data} report={report} route={route} />;
}

function RunNav({ report, route }: { report: ReportDocument; route: Route }) {
  const current = route.page === "compare" ? null : route.run;
  return (
    <nav aria-label="Runs">
      {report.runs.map((run, index) => (
        <span class={index === current ? "run current" : "run"}>
          <span class="run-name" title={escapeHidden(run.name)}>
            <Text of={runLabel(report, index)} />
          </span>
          <PageLink
            to={{ page: "overview", run: index, by: null }}
            isCurrent={index === current && route.page === "overview"}
          >
            Overview
          </PageLink>
          <PageLink
            to={{ page: "samples", run: index, ...lastList(index).filter }}
            isCurrent={index === current && route.page === "samples"}
          >
            Samples
          </PageLink>
        </span>
      ))}
      {report.comparison && (
        <PageLink to={{ page: "compare" }} isCurrent={route.page === "compare"}>
          Comparison
        </PageLink>
      )}
    </nav>
  );
}

function PageLink({ to, isCurrent, children }: { to: Route; isCurrent: boolean; children: string }) {
  return (
    <a href={toHash(to)} aria-current={isCurrent ? "page" : undefined}>
      {children}
    </a>
  );
}

function pageTitle(route: Route, report: ReportDocument | null): string {
  if (route.page === "compare") return "Comparison – Worldline";
  const run = report?.runs[route.run]?.name ?? "";
  const name = route.page === "sample" ? route.id : `${run} ${route.page}`;
  return `${escapeHidden(shorten(name, 80))} – Worldline`;
}
