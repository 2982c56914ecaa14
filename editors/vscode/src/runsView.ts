import * as vscode from "vscode";
import { runWorldline, settings } from "./commandLine";

type Item = RunItem | CauseItem | SampleItem | MessageItem;

interface Failure {
  sample: string;
  cause: string | null;
  verdict: string;
  variable: string | null;
}

const QUERY =
  "SELECT sample, coalesce(cause, outcome, verdict) AS cause, verdict, variable FROM samples " +
  "WHERE verdict <> 'correct' OR cause IS NOT NULL ORDER BY sample";

class RunItem extends vscode.TreeItem {
  constructor(readonly run: string) {
    super(run, vscode.TreeItemCollapsibleState.Collapsed);
    this.iconPath = new vscode.ThemeIcon("beaker");
  }
}

class CauseItem extends vscode.TreeItem {
  constructor(
    readonly run: string,
    cause: string,
    readonly failures: readonly Failure[],
  ) {
    super(cause.replaceAll("_", " "), vscode.TreeItemCollapsibleState.Collapsed);
    this.description = String(failures.length);
  }
}

class SampleItem extends vscode.TreeItem {
  constructor(run: string, failure: Failure) {
    super(failure.sample, vscode.TreeItemCollapsibleState.None);
    // A wrong execution can end with the correct answer.
    const note = failure.verdict === "correct" ? "answer correct" : null;
    this.description = [failure.variable, note].filter(Boolean).join(", ");
    this.iconPath = new vscode.ThemeIcon("debug-alt");
    this.command = { command: "worldline.openSample", title: "Open", arguments: [run, failure.sample] };
  }
}

class MessageItem extends vscode.TreeItem {
  constructor(error: unknown) {
    const text = error instanceof Error ? error.message : String(error);
    super(text.split("\n").at(-1) ?? text, vscode.TreeItemCollapsibleState.None);
    this.tooltip = text;
    this.iconPath = new vscode.ThemeIcon("error");
  }
}

/** The runs of the setting `worldline.runs`; below each, its failures by cause. */
export class RunsView implements vscode.TreeDataProvider<Item> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  refresh(): void {
    this.changed.fire();
  }

  getTreeItem(item: Item): vscode.TreeItem {
    return item;
  }

  async getChildren(item?: Item): Promise<Item[]> {
    if (item === undefined) {
      return settings()
        .get<string[]>("runs", [])
        .map((run) => new RunItem(run));
    }
    if (item instanceof CauseItem) {
      return item.failures.map((failure) => new SampleItem(item.run, failure));
    }
    return item instanceof RunItem ? causesOf(item.run) : [];
  }
}

async function causesOf(run: string): Promise<Item[]> {
  try {
    const lines = await runWorldline(["sql", run, QUERY, "--format", "jsonl"]);
    const failures = lines
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Failure);
    const groups = new Map<string, Failure[]>();
    for (const failure of failures) {
      const cause = failure.cause ?? "no cause";
      groups.set(cause, [...(groups.get(cause) ?? []), failure]);
    }
    return [...groups]
      .sort((left, right) => right[1].length - left[1].length)
      .map(([cause, group]) => new CauseItem(run, cause, group));
  } catch (error) {
    return [new MessageItem(error)];
  }
}
