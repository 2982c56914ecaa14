/** Help dialog: keyboard shortcuts, the marks of the sample page, and the definitions of all codes. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { definedCodes } from "../glossary";
import { columnLabel } from "../labels";
import { SHORTCUTS } from "../shortcuts";

const MARKS = [
  ["→ ← !", "Call, return, exception"],
  ["A P", "Actual line, predicted line"],
  ["✗", "Divergence: the first step that differs"],
  ["=", "After the divergence: matches the actual step again"],
  ["≠", "After the divergence: differs from the actual step"],
  ["−", "The prediction skips this step"],
  ["+", "The prediction inserts this step"],
  ["•", "Changed by this step"],
];

/** The kinds of codes that are explained. */
const CODES = [
  ["verdict", "Verdicts: grade of the answer"],
  ["outcome", "Traces: the predicted execution, compared with the actual one"],
  ["differs_in", "First divergence: what differs"],
  ["cause", "Causes"],
] as const;

export function HelpDialog({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keyboard shortcuts, marks and terms</h2>
      <dl class="help-list">
        {SHORTCUTS.map(({ symbol, description }) => (
          <div>
            <dt>
              <kbd>{symbol}</kbd>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
        {MARKS.map(([mark, description]) => (
          <div>
            <dt class="mono">{mark}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      {CODES.map(([kind, title]) => (
        <details>
          <summary>{title}</summary>
          <dl class="help-list codes">
            {definedCodes(kind).map(([code, definition]) => (
              <div>
                <dt>{columnLabel(kind, code)}</dt>
                <dd>{definition}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  );
}
