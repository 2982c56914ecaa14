/** The whole page: its head, and the view that the address asks for. */
import { useEffect, useState } from "preact/hooks";
import { type Address, toHash } from "../address";
import type { ReportDocument, Source } from "../contract";
import { useKeys } from "../keys";
import { useLoaded } from "../loading";
import { nameOf } from "../names";
import { useAddress } from "../navigate";
import { lastList } from "../neighbours";
import { clip, visible } from "../visible";
import { ComparisonView } from "./comparison";
import { Help } from "./help";
import { Guard, Message, Waiting } from "./message";
import { Overview } from "./overview";
import { SamplePage } from "./sample";
import { Samples } from "./samples";
import { Text } from "./text";
import { ThemeSwitch } from "./theme";

export function App({ source }: { source: Source }) {
  const [report, again] = useLoaded("report", () => source.report());
  const [isHelp, setHelp] = useState(false);
  const address = useAddress();
  useKeys({ "?": () => setHelp(true) });
  useEffect(() => {
    document.title = title(address, report.is === "ready" ? report.value : null);
  });
  return (
    <>
      <header class="top">
        <a class="brand" href="#/run/0">
          Worldline
        </a>
        {report.is === "ready" && <Runs report={report.value} address={address} />}
        <span class="right">
          <ThemeSwitch />
          <button type="button" onClick={() => setHelp(true)} aria-label="help">
            ?
          </button>
        </span>
      </header>
      <main>
        {report.is === "loading" && <Waiting />}
        {report.is === "failed" && <Message text={report.why} again={again} />}
        {report.is === "ready" && (
          <Guard key={`${address.page} ${"run" in address ? address.run : ""}`}>
            <View source={source} report={report.value} address={address} />
          </Guard>
        )}
      </main>
      {isHelp && <Help close={() => setHelp(false)} />}
    </>
  );
}

function View({ source, report, address }: { source: Source; report: ReportDocument; address: Address }) {
  if (address.page === "compare") {
    if (report.comparison) return <ComparisonView report={report} comparison={report.comparison} />;
    return <Message text="This report compares nothing. Make one of two runs to compare them." />;
  }
  const run = report.runs[address.run];
  if (!run) return <Message text={`There is no run ${address.run} in this report. Choose one above.`} />;
  if (address.page === "overview")
    return <Overview key={address.run} source={source} report={report} index={address.run} by={address.by} />;
  if (address.page === "samples") return <Samples source={source} report={report} run={run} address={address} />;
  return <SamplePage key={`${address.run} ${address.id}`} source={source} report={report} address={address} />;
}

function Runs({ report, address }: { report: ReportDocument; address: Address }) {
  const here = address.page === "compare" ? null : address.run;
  return (
    <nav aria-label="runs">
      {report.runs.map((run, index) => (
        <span class={index === here ? "run here" : "run"}>
          <span class="run-name" title={visible(run.name)}>
            <Text of={nameOf(report, index)} />
          </span>
          <PageLink
            to={{ page: "overview", run: index, by: null }}
            isHere={index === here && address.page === "overview"}
          >
            overview
          </PageLink>
          <PageLink
            to={{ page: "samples", run: index, ...lastList(index).filter }}
            isHere={index === here && address.page === "samples"}
          >
            samples
          </PageLink>
        </span>
      ))}
      {report.comparison && (
        <PageLink to={{ page: "compare" }} isHere={address.page === "compare"}>
          comparison
        </PageLink>
      )}
    </nav>
  );
}

function PageLink({ to, isHere, children }: { to: Address; isHere: boolean; children: string }) {
  return (
    <a href={toHash(to)} aria-current={isHere ? "page" : undefined}>
      {children}
    </a>
  );
}

function title(address: Address, report: ReportDocument | null): string {
  if (address.page === "compare") return "comparison – Worldline";
  const run = report?.runs[address.run]?.name ?? "";
  const name = address.page === "sample" ? address.id : `${run} ${address.page}`;
  return `${visible(clip(name, 80))} – Worldline`;
}
