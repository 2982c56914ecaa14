/** Buttons that copy a sample: as a link, as Markdown, or as the command that shows it. */
import { useState } from "preact/hooks";
import type { SampleDocument } from "../api";
import { toCommand, toMarkdown } from "../sampleText";
import { Icon } from "./icons";

/** Milliseconds for which a button says that it has copied. */
const CONFIRMATION_TIME = 1_500;

export function CopyMenu({ sample, run }: { sample: SampleDocument; run: string }) {
  return (
    <span class="copy-menu" role="group" aria-label="Copy">
      <CopyButton name="Link" text={() => location.href} />
      <CopyButton name="Markdown" text={() => toMarkdown(sample, run, location.href)} />
      <CopyButton name="Command" text={() => toCommand(sample, run)} />
    </span>
  );
}

function CopyButton({ name, text }: { name: string; text: () => string }) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const copy = async () => {
    setState((await copyText(text())) ? "copied" : "failed");
    setTimeout(() => setState("ready"), CONFIRMATION_TIME);
  };
  return (
    <button type="button" onClick={() => void copy()} aria-label={`Copy as ${name.toLowerCase()}`}>
      <Icon name={state === "copied" ? "check" : "copy"} /> {name}
      <span class="visually-hidden" role="status">
        {state === "copied" ? "Copied" : state === "failed" ? "The browser does not allow it" : ""}
      </span>
    </button>
  );
}

/** Copies a text; false if the browser does not allow it. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A report that was opened from disk may have no access to the clipboard: copy a selection instead.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}
