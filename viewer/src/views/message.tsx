/** Messages that take the place of content: errors, loading. */
import { Component, type ComponentChildren } from "preact";
import { errorMessage } from "../dataSource/errors";
import { Text } from "./text";

export function Message({ text, retry }: { text: string; retry?: () => void }) {
  return (
    <div class="message" role="alert">
      <p>
        <Text of={text} />
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      Loading …
    </p>
  );
}

/** Shows a message instead of a blank page if a child fails to render, such as on a malformed document. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { message: string | null }> {
  override state = { message: null as string | null };

  static override getDerivedStateFromError(error: unknown) {
    return { message: errorMessage(error) };
  }

  override render() {
    return this.state.message === null ? this.props.children : <Message text={this.state.message} />;
  }
}
