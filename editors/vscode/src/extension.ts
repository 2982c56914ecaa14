import * as vscode from "vscode";
import { askForCall, CallLens, functionAt } from "./callLens";
import { settings, workFolder, worldlineCommand } from "./commandLine";
import { LineValueDecorations } from "./lineValues";
import { RunsView } from "./runsView";

const TYPE = "worldline";

export function activate(context: vscode.ExtensionContext): void {
  const runs = new RunsView();
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, { createDebugAdapterDescriptor: adapter }),
    vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
      createDebugAdapterTracker: (session) => new LineValueDecorations(session),
    }),
    vscode.debug.registerDebugConfigurationProvider(TYPE, {
      resolveDebugConfiguration: (_, config) => completeConfiguration(context, config),
    }),
    vscode.languages.registerCodeLensProvider({ scheme: "file", language: "python" }, new CallLens()),
    vscode.window.registerTreeDataProvider("worldline.runs", runs),
    vscode.commands.registerCommand("worldline.refreshRuns", () => runs.refresh()),
    vscode.commands.registerCommand("worldline.openSample", openSample),
    vscode.commands.registerCommand("worldline.debugCall", (uri?: vscode.Uri, name?: string) =>
      debugCall(context, uri, name, {}),
    ),
    vscode.commands.registerCommand("worldline.predict", (uri?: vscode.Uri, name?: string) =>
      predict(context, uri, name),
    ),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("worldline.runs")) {
        runs.refresh();
      }
    }),
  );
}

function adapter(): vscode.DebugAdapterDescriptor {
  const [program, words] = worldlineCommand();
  return new vscode.DebugAdapterExecutable(program, [...words, "dap"], { cwd: workFolder() });
}

/** F5 without a launch.json: the function at the cursor. */
async function completeConfiguration(
  context: vscode.ExtensionContext,
  config: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration | undefined> {
  config.cwd ??= workFolder();
  if (config.type) {
    return config;
  }
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    void vscode.window.showErrorMessage("Worldline: open a file first.");
    return undefined;
  }
  const found = functionAt(editor);
  const call = found && (await askForCall(context.workspaceState, editor.document, found.name));
  if (found !== undefined && call === undefined) {
    return undefined;
  }
  return { ...config, ...launch(editor.document.uri), ...(call ? { call } : {}) };
}

function launch(uri: vscode.Uri): vscode.DebugConfiguration {
  return {
    type: TYPE,
    request: "launch",
    name: "Worldline",
    program: uri.fsPath,
    cwd: workFolder(),
    stopOnEntry: true,
    startInFile: true,
  };
}

async function start(config: vscode.DebugConfiguration): Promise<void> {
  if (!(await vscode.debug.startDebugging(undefined, config))) {
    const [program, words] = worldlineCommand();
    const command = [program, ...words, "dap"].join(" ");
    void vscode.window.showErrorMessage(
      `Worldline: the debugger did not start. Try "${command}" in a terminal; worldline.command sets the command.`,
    );
  }
}

async function debugCall(
  context: vscode.ExtensionContext,
  uri: vscode.Uri | undefined,
  name: string | undefined,
  more: Partial<vscode.DebugConfiguration>,
): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = uri ? await vscode.workspace.openTextDocument(uri) : editor?.document;
  const called = name ?? (editor && functionAt(editor)?.name);
  if (document === undefined || called === undefined) {
    void vscode.window.showErrorMessage("Worldline: put the cursor into a function at the top level of a file.");
    return;
  }
  await document.save();
  const call = await askForCall(context.workspaceState, document, called);
  if (call !== undefined) {
    await start({ ...launch(document.uri), call, ...more });
  }
}

/** Ask the model, and stop where its execution differs from the actual one. */
async function predict(context: vscode.ExtensionContext, uri?: vscode.Uri, name?: string): Promise<void> {
  const engine = settings().get<string>("engine");
  if (!engine) {
    const choice = await vscode.window.showErrorMessage(
      "Worldline: no model. Name one in the setting worldline.engine, such as http://127.0.0.1:8000/v1.",
      "Open the settings",
    );
    if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "worldline.engine");
    }
    return;
  }
  const codec = settings().get<string>("codec");
  await debugCall(context, uri, name, {
    name: "Worldline: predict and compare",
    engine,
    maxTokens: settings().get<number>("maxTokens"),
    ...(codec ? { codec } : {}),
  });
}

async function openSample(run: string, sample: string): Promise<void> {
  await start({
    type: TYPE,
    request: "launch",
    name: `Worldline: ${sample}`,
    cwd: workFolder(),
    run,
    sample,
    stopOnEntry: true,
  });
}
