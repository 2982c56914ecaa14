/** The dialog that lists the keys. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { KEYS } from "../keys";

const MARKS = [
  ["→ ← !", "a call, a return, an exception"],
  ["R I", "the real line, the imagined line"],
  ["✗", "here they part: the divergence"],
  ["= ≠", "behind it: the same again, not the same"],
  ["•", "changed by this step"],
];

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys and marks</h2>
      <dl class="keys">
        {KEYS.map(({ shown, does }) => (
          <div>
            <dt>
              <kbd>{shown}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        {MARKS.map(([mark, means]) => (
          <div>
            <dt class="mono">{mark}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  );
}
