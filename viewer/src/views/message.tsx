/** A sentence where there is nothing to show, with what to do about it. */
import { Component, type ComponentChildren } from "preact";
import { sentence } from "../source/problem";
import { Text } from "./text";

export function Message({ text, again }: { text: string; again?: () => void }) {
  return (
    <div class="message" role="alert">
      <p>
        <Text of={text} />
      </p>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Waiting() {
  return (
    <p class="waiting" role="status">
      Loading …
    </p>
  );
}

/** Says what broke where a document is not as it should be, instead of a blank page. */
export class Guard extends Component<{ children: ComponentChildren }, { why: string | null }> {
  override state = { why: null as string | null };

  static override getDerivedStateFromError(error: unknown) {
    return { why: sentence(error) };
  }

  override render() {
    return this.state.why === null ? this.props.children : <Message text={this.state.why} />;
  }
}
