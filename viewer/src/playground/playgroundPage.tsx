/** The playground: a form, Python in a frame, and the diagnosis as the viewer shows it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { copyText } from "../clipboard";
import { errorMessage } from "../dataSource/errors";
import { navigate, useRoute } from "../navigation";
import { type SampleRoute, toHash } from "../route";
import { DefinitionTip } from "../views/defined";
import { Icon, Logo } from "../views/icons";
import { ErrorBoundary, Message } from "../views/message";
import { SampleView } from "../views/samplePage";
import { Text } from "../views/text";
import { ThemeSwitch } from "../views/theme";
import { InputForm } from "./inputForm";
import type { Status } from "./pythonFrame";
import { ServerForm } from "./serverForm";
import { type Answer, type Inputs, type PlaygroundSettings, type PromptAnswer, toRow } from "./settings";
import { decodeInputs, encodeInputs } from "./sharedLink";
import { usePython } from "./usePython";

const EMPTY: Inputs = { code: "", call: "", output: "", codec: "chat-trace" };

interface Props {
  settings: PlaygroundSettings;
  frame: HTMLIFrameElement;
}

/** The route of the diagnosis of some inputs, which are its id: the link contains everything. */
const routeOf = (id: string): SampleRoute => ({ page: "sample", run: 0, id, step: null });

export function PlaygroundPage({ settings, frame }: Props) {
  const python = usePython(frame);
  const route = useRoute();
  const [inputs, setInputs] = useState<Inputs>(settings.examples[0] ?? EMPTY);
  const [answer, setAnswer] = useState<{ id: string; number: number; value: Answer } | null>(null);
  const id = route.page === "sample" ? route.id : null;

  const run = async (of: Inputs, id: string) => {
    const value = await python
      .ask({ kind: "diagnose", row: toRow(of) })
      .then((text) => JSON.parse(text) as Answer)
      .catch((error: unknown) => ({ error: errorMessage(error) }));
    setAnswer((before) => ({ id, number: (before?.number ?? 0) + 1, value }));
  };
  const diagnose = async (of: Inputs) => {
    const link = await encodeInputs(of);
    if (link === id) await run(of, link);
    else navigate(routeOf(link));
  };
  useEffect(() => {
    if (id === null) return;
    void decodeInputs(id).then((shared) => {
      if (shared === null) setAnswer({ id, number: 0, value: { error: "This link is damaged or not complete." } });
      else {
        setInputs(shared);
        void run(shared, id);
      }
    });
  }, [id]);
  const prompt = async () => {
    const text = await python.ask({ kind: "prompt", row: toRow(inputs) }, { restart: false });
    const reply = JSON.parse(text) as PromptAnswer;
    if ("error" in reply) throw new Error(reply.error);
    if (!reply.is_chat) throw new Error("Choose a format for chat models: chat or chat-trace.");
    return reply.prompt;
  };
  const isRunning = python.status === "running";
  return (
    <>
      <Header />
      <main class="playground">
        <h1>Playground</h1>
        <p class="lead">
          Paste a Python program, its call, and what a model says about it. Python executes the program in this page and
          finds the first step at which the model is wrong. Nothing is uploaded.
        </p>
        <InputForm
          settings={settings}
          inputs={inputs}
          change={setInputs}
          choose={({ code, call, output, codec }) => setInputs({ code, call, output, codec })}
        />
        <div class="actions">
          <button type="button" class="primary" disabled={isRunning} onClick={() => void diagnose(inputs)}>
            Diagnose
          </button>
          <button type="button" disabled={!isRunning} onClick={python.stop}>
            Stop
          </button>
          <ShareButton inputs={inputs} />
          <span class="note status" role="status" data-status={python.status}>
            <Text of={statusText(python.status, python.detail)} />
          </span>
        </div>
        <ServerForm prompt={prompt} show={(output) => setInputs({ ...inputs, output })} />
        {answer !== null && answer.id === id && route.page === "sample" && (
          <Result key={answer.number} answer={answer.value} route={route} />
        )}
      </main>
      <footer>
        Made with Worldline <Text of={settings.worldline} /> and Pyodide
      </footer>
      <DefinitionTip />
    </>
  );
}

function Header() {
  return (
    <header class="top">
      <a class="brand" href="../">
        <Logo /> Worldline
      </a>
      <nav aria-label="Documentation">
        <a href="../how-to/playground/">About this page</a>
        <a href="../installation/">Install</a>
      </nav>
      <span class="right">
        <ThemeSwitch />
      </span>
    </header>
  );
}

function statusText(status: Status, detail: string): string {
  if (status === "loading") return "Starting Python …";
  if (status === "running") return "Running …";
  return status === "ready" ? "Python is ready." : detail;
}

function ShareButton({ inputs }: { inputs: Inputs }) {
  const [state, setState] = useState("");
  const share = async () => {
    const url = `${location.href.split("#")[0]}${toHash(routeOf(await encodeInputs(inputs)))}`;
    setState((await copyText(url)) ? "Copied" : "The browser does not allow it");
    setTimeout(() => setState(""), 1_500);
  };
  return (
    <button type="button" onClick={() => void share()} title="Copy a link that contains the program and the text">
      <Icon name={state === "Copied" ? "check" : "copy"} /> Copy link
      <span class="visually-hidden" role="status">
        {state}
      </span>
    </button>
  );
}

function Result({ answer, route }: { answer: Answer; route: SampleRoute }) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: "start" }), []);
  return (
    <section ref={section} class="sample result" aria-label="Diagnosis">
      {"error" in answer ? (
        <Message text={answer.error} />
      ) : (
        <ErrorBoundary>
          <SampleView sample={answer.document} route={route} />
        </ErrorBoundary>
      )}
    </section>
  );
}
