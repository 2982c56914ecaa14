/** Entry point of the playground. */
import { render } from "preact";
import "../styles.css";
import "../glossary.css";
import "../samplePage.css";
import "./playground.css";
import { setLabels } from "../labels";
import { restoreTheme } from "../views/theme";
import { PlaygroundPage } from "./playgroundPage";
import type { PlaygroundSettings } from "./settings";

restoreTheme();
const root = document.getElementById("app");
const text = document.querySelector('script[type="application/json"]#playground')?.textContent;
const frame = document.querySelector<HTMLIFrameElement>("#python");
if (root && frame && text) {
  const settings = JSON.parse(text) as PlaygroundSettings;
  setLabels(settings.labels, settings.column_labels);
  render(<PlaygroundPage settings={settings} frame={frame} />, root);
}
