/** Python in a frame without an origin: loads its files once, starts a new interpreter for each program. */
import { convert } from "./sharedLink";

export type Status = "loading" | "ready" | "running" | "failed";

/** Files of the page's folder; those with the ending .pack are compressed with gzip. */
const FILES = {
  loader: "pyodide.mjs",
  core: "pyodide.asm.mjs",
  wasm: "pyodide.asm.wasm.pack",
  stdlib: "python_stdlib.zip",
  snapshot: "snapshot.pack",
  lock: "pyodide-lock.json",
  worker: "worker.js",
};
/** Milliseconds after which a request is ended: the recorder's own limit, and time for the diagnosis. */
const TIME_LIMIT = 30_000;
const STOPPED = "Stopped. The program did not end by itself.";

type Message = { kind: "opened" | "ready" } | { kind: "answer"; text: string } | { kind: "failed"; message: string };
interface Waiting {
  resolve: (text: string) => void;
  reject: (error: Error) => void;
}

export class PythonFrame {
  private waiting: Waiting | null = null;
  private opened: () => void = () => {};
  private readonly isOpened = new Promise<void>((resolve) => (this.opened = resolve));
  private becameReady: () => void = () => {};
  /** Settled when no request is waiting or being answered. */
  private last: Promise<unknown> = Promise.resolve();
  private ready = new Promise<void>((resolve) => (this.becameReady = resolve));

  /** `report` is called with every change of the status. */
  constructor(
    private readonly frame: HTMLIFrameElement,
    private readonly report: (status: Status, detail: string) => void,
  ) {
    addEventListener("message", ({ source, data }) => {
      if (source === frame.contentWindow) this.receive(data as Message);
    });
    // The frame may have been loaded before this page listened.
    this.send({ kind: "hello" });
  }

  /** Loads all files; later, nothing is requested any more. */
  async load(request: typeof fetch = (...args) => fetch(...args)): Promise<void> {
    try {
      const loaded = await Promise.all(Object.entries(FILES).map(([name, file]) => loadFile(request, name, file)));
      await this.isOpened;
      this.send({ kind: "assets", assets: Object.fromEntries(loaded) });
    } catch (error) {
      this.report("failed", `Python cannot be loaded: ${String(error)}. Reload the page.`);
    }
  }

  /** Answers a request after those before it; with `restart`, the next one gets a new interpreter. */
  ask(request: unknown, { restart = true } = {}): Promise<string> {
    const answer = this.last.then(() => this.answer(request, restart));
    this.last = answer.catch(() => {});
    return answer;
  }

  private async answer(request: unknown, restart: boolean): Promise<string> {
    await this.ready;
    this.report("running", "");
    const timer = setTimeout(() => this.stop(), TIME_LIMIT);
    try {
      const answer = await new Promise<string>((resolve, reject) => {
        this.waiting = { resolve, reject };
        this.send({ kind: "ask", request: JSON.stringify(request) });
      });
      if (restart) this.restart();
      else this.report("ready", "");
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the interpreter, whatever it does, and starts a new one. */
  stop(): void {
    const waiting = this.waiting;
    this.waiting = null;
    this.restart();
    waiting?.reject(new Error(STOPPED));
  }

  private restart(): void {
    this.ready = new Promise((resolve) => (this.becameReady = resolve));
    this.report("loading", "");
    this.send({ kind: "restart" });
  }

  private receive(message: Message): void {
    if (message.kind === "opened") this.opened();
    else if (message.kind === "ready") {
      this.report("ready", "");
      this.becameReady();
    } else if (message.kind === "answer") {
      this.waiting?.resolve(message.text);
      this.waiting = null;
    } else if (message.kind === "failed" && this.waiting) {
      const { reject } = this.waiting;
      this.waiting = null;
      this.restart();
      reject(new Error(`Python failed: ${message.message}`));
    } else if (message.kind === "failed") this.report("failed", `Python failed: ${message.message}`);
  }

  private send(message: unknown): void {
    // The frame has no origin that could be named here.
    this.frame.contentWindow?.postMessage(message, "*");
  }
}

async function loadFile(request: typeof fetch, name: string, file: string): Promise<[string, unknown]> {
  const response = await request(file);
  if (!response.ok) throw new Error(`${file}: status ${response.status}`);
  if (/js(on)?$/.test(file)) return [name, await response.text()];
  const bytes = await response.arrayBuffer();
  return [name, file.endsWith(".pack") ? await convert(bytes, new DecompressionStream("gzip")) : bytes];
}
