/** Help dialog: keyboard shortcuts and the marks of the sample page. */
import { useLayoutEffect, useRef } from "preact/hooks";
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

export function HelpDialog({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keyboard shortcuts and marks</h2>
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
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  );
}
