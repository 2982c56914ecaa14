import { execFile } from "node:child_process";
import * as vscode from "vscode";

/** The command of the setting `worldline.command`: the program and its first arguments. */
export function worldlineCommand(): [string, string[]] {
  const [program = "worldline", ...rest] = settings().get<string[]>("command", ["worldline"]);
  return [program, rest];
}

export function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("worldline");
}

/** The folder in which commands run: relative addresses of runs start there. */
export function workFolder(): string | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}

/** The output of a `worldline` command. It fails with the command's own message. */
export function runWorldline(words: readonly string[]): Promise<string> {
  const [program, first] = worldlineCommand();
  return new Promise((resolve, reject) => {
    const options = { cwd: workFolder(), maxBuffer: 1 << 28 };
    execFile(program, [...first, ...words], options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
        return;
      }
      const reason =
        "code" in error && String(error.code) === "ENOENT"
          ? `there is no ${program}: run "pip install worldline", or set worldline.command`
          : stderr.trim() || error.message;
      reject(new Error(reason));
    });
  });
}
