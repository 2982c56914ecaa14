import * as vscode from "vscode";
import { callInComment, topLevelFunctions, type PythonFunction } from "./pythonFunctions";

const CALLS = "worldline.calls";

/** "run · predict" above each function. */
export class CallLens implements vscode.CodeLensProvider {
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return topLevelFunctions(document.getText()).flatMap((each) => {
      const range = new vscode.Range(each.line, 0, each.line, 0);
      const argument = [document.uri, each.name];
      return [
        new vscode.CodeLens(range, { title: "run", command: "worldline.debugCall", arguments: argument }),
        new vscode.CodeLens(range, { title: "predict", command: "worldline.predict", arguments: argument }),
      ];
    });
  }
}

/** The function at the cursor. */
export function functionAt(editor: vscode.TextEditor): PythonFunction | undefined {
  const line = editor.selection.active.line;
  const functions = topLevelFunctions(editor.document.getText());
  return functions.find((each) => each.line <= line && line <= each.lastLine) ?? functions[0];
}

/** Ask for the call of a function; the last one, or that of a comment, is proposed. */
export async function askForCall(
  state: vscode.Memento,
  document: vscode.TextDocument,
  name: string,
): Promise<string | undefined> {
  const key = `${CALLS}:${document.uri.toString()}:${name}`;
  const known = state.get<string>(key) ?? callInComment(document.getText(), name) ?? `${name}()`;
  const call = await vscode.window.showInputBox({
    title: `Call of ${name}`,
    prompt: "The call to execute, with its arguments.",
    value: known,
    valueSelection: [known.indexOf("(") + 1, known.length - 1],
  });
  if (call !== undefined) {
    await state.update(key, call);
  }
  return call;
}
