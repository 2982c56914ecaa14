/** Menu that copies a sample: as a link, as Markdown, as the command that shows it, or as a picture. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { SampleDocument } from "../api";
import { copyPng, copyText } from "../clipboard";
import { type PictureColours, toSvg } from "../samplePicture";
import { toCommand, toMarkdown } from "../sampleText";
import { cssColour } from "./theme";
import { Icon } from "./icons";

/** Milliseconds for which a button says that it has copied. */
const CONFIRMATION_TIME = 1_500;

type Result = "copied" | "saved" | "failed";
const RESULTS = { ready: "", copied: "Copied", saved: "Saved as a file", failed: "The browser does not allow it" };

interface Props {
  sample: SampleDocument;
  run: string;
  /** The version of Worldline. */
  version: string;
}

export function CopyMenu({ sample, run, version }: Props) {
  const picture = () => toSvg(sample, pictureColours(), `Made with Worldline ${version}`);
  const asText = async (text: string): Promise<Result> => ((await copyText(text)) ? "copied" : "failed");
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => closeOutside(menu), []);
  return (
    <details class="copy-menu" ref={menu}>
      <summary>
        <Icon name="copy" /> Copy …
      </summary>
      <div class="copy-items" role="group" aria-label="Copy">
        <CopyButton name="Link" copy={() => asText(location.href)} />
        <CopyButton name="Markdown" copy={() => asText(toMarkdown(sample, run, location.href))} />
        <CopyButton name="Command" copy={() => asText(toCommand(sample, run))} />
        <CopyButton name="PNG" copy={() => copyPng(picture(), fileName(sample.id))} />
        <CopyButton name="SVG" copy={() => asText(picture())} />
      </div>
    </details>
  );
}

/** Closes the menu on a click outside of it and on Escape; returns a function that ends this. */
function closeOutside(menu: { current: HTMLDetailsElement | null }): () => void {
  const onClick = ({ target }: MouseEvent) => {
    if (target instanceof Node && !menu.current?.contains(target)) menu.current?.removeAttribute("open");
  };
  const onKey = ({ key }: KeyboardEvent) => key === "Escape" && menu.current?.removeAttribute("open");
  addEventListener("click", onClick);
  addEventListener("keydown", onKey);
  return () => {
    removeEventListener("click", onClick);
    removeEventListener("keydown", onKey);
  };
}

function CopyButton({ name, copy }: { name: string; copy: () => Promise<Result> }) {
  const [state, setState] = useState<Result | "ready">("ready");
  const onClick = async () => {
    setState(await copy());
    setTimeout(() => setState("ready"), CONFIRMATION_TIME);
  };
  const title = `Copy as ${/^[A-Z]+$/.test(name) ? name : name.toLowerCase()}`;
  return (
    <button type="button" onClick={() => void onClick()} aria-label={title} title={title}>
      <Icon name={state === "copied" || state === "saved" ? "check" : "copy"} /> {name}
      <span class="visually-hidden" role="status">
        {RESULTS[state]}
      </span>
    </button>
  );
}

/** "a/b c" -> "a-b-c" */
function fileName(id: string): string {
  return id.replace(/[^\w.-]+/g, "-").slice(0, 80) || "sample";
}

/** The colours of the current theme. */
function pictureColours(): PictureColours {
  return {
    back: cssColour("--back"),
    panel: cssColour("--panel"),
    text: cssColour("--text"),
    muted: cssColour("--muted"),
    line: cssColour("--line"),
    accent: cssColour("--accent"),
    good: cssColour("--good"),
    wrong: cssColour("--wrong"),
    wrongBack: cssColour("--wrong-back"),
  };
}
