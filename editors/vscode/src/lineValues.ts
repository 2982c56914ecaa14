import * as vscode from "vscode";

/** Reply of the adapter's request `worldline/lineValues`. */
interface LineValues {
  lines: {
    line: number;
    source: { path?: string; sourceReference?: number };
    actual: string | null;
    predicted: string | null;
    differs: boolean;
  }[];
}

const MAX_CHARS = 100;
// Requests that end with another stop.
const MOVEMENTS = new Set(["continue", "reverseContinue", "next", "stepIn", "stepOut", "stepBack", "goto"]);

/** Shows the values of each line at its end while a session is stopped. */
export class LineValueDecorations implements vscode.DebugAdapterTracker {
  private static readonly same = vscode.window.createTextEditorDecorationType({
    after: { margin: "0 0 0 2em", color: new vscode.ThemeColor("editorInlayHint.foreground") },
  });
  private static readonly different = vscode.window.createTextEditorDecorationType({
    after: { margin: "0 0 0 2em", color: new vscode.ThemeColor("editorError.foreground") },
    backgroundColor: new vscode.ThemeColor("diffEditor.removedTextBackground"),
    isWholeLine: true,
  });

  private isStopped = false;
  // A program without a file, or a file that was not open, may be shown later than the stop.
  private readonly onEditors = vscode.window.onDidChangeVisibleTextEditors(() => {
    if (this.isStopped) {
      void this.show();
    }
  });

  constructor(private readonly session: vscode.DebugSession) {}

  onWillReceiveMessage(message: { type?: string; command?: string }): void {
    if (message.type === "request" && MOVEMENTS.has(message.command ?? "")) {
      this.isStopped = false;
    }
  }

  onDidSendMessage(message: { type?: string; event?: string }): void {
    if (message.type === "event" && message.event === "stopped") {
      this.isStopped = true;
      // The editor opens the file of the stopped frame first.
      setTimeout(() => void this.show(), 50);
    }
  }

  onWillStopSession(): void {
    this.isStopped = false;
    this.onEditors.dispose();
    for (const editor of vscode.window.visibleTextEditors) {
      editor.setDecorations(LineValueDecorations.same, []);
      editor.setDecorations(LineValueDecorations.different, []);
    }
  }

  private async show(): Promise<void> {
    let reply: LineValues;
    try {
      reply = (await this.session.customRequest("worldline/lineValues")) as LineValues;
    } catch {
      return; // the session has ended meanwhile
    }
    for (const editor of vscode.window.visibleTextEditors) {
      const own = reply.lines.filter(({ source }) => isShownIn(editor, source));
      for (const [type, differs] of [
        [LineValueDecorations.same, false],
        [LineValueDecorations.different, true],
      ] as const) {
        const options = own.filter((each) => each.differs === differs).map((each) => decoration(editor, each));
        editor.setDecorations(type, options);
      }
    }
  }
}

/** A program without a file is shown in a document of the debugger. */
function isShownIn(editor: vscode.TextEditor, source: LineValues["lines"][number]["source"]): boolean {
  const { uri } = editor.document;
  return source.path === undefined ? uri.scheme === "debug" : uri.fsPath === source.path;
}

function decoration(editor: vscode.TextEditor, values: LineValues["lines"][number]): vscode.DecorationOptions {
  const { range } = editor.document.lineAt(Math.min(values.line, editor.document.lineCount) - 1);
  const { actual, predicted, differs } = values;
  const both = `predicted ${predicted ?? "no change"}, actual ${actual ?? "no change"}`;
  const text = differs ? both : (actual ?? predicted ?? "");
  const shown = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
  const hover = new vscode.MarkdownString().appendCodeblock(text, "text");
  return { range, hoverMessage: hover, renderOptions: { after: { contentText: shown } } };
}
