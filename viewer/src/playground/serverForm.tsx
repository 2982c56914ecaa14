/** Fields to ask a model on a server that the user names. The key is in no storage and in no link. */
import { useState } from "preact/hooks";
import { complete, type Server } from "./modelServer";

interface Props {
  /** The messages of the prompt for the current program and format. */
  prompt: () => Promise<string[]>;
  show: (output: string) => void;
}

export function ServerForm({ prompt, show }: Props) {
  const [server, setServer] = useState<Server>({ url: "", model: "", key: "" });
  const [state, setState] = useState("");
  const [isAsking, setAsking] = useState(false);
  const field = (name: keyof Server, title: string, hint: string, type: "url" | "text" | "password") => (
    <label class="field">
      <span>{title}</span>
      <input
        name={`server-${name}`}
        type={type as "text"}
        placeholder={hint}
        autocomplete="off"
        value={server[name]}
        onInput={({ currentTarget }) => setServer({ ...server, [name]: currentTarget.value })}
      />
    </label>
  );
  const ask = async () => {
    setAsking(true);
    setState("Waiting for the server …");
    try {
      show(await complete(server, await prompt()));
      setState("");
    } catch (error) {
      setState(error instanceof Error ? error.message : String(error));
    }
    setAsking(false);
  };
  return (
    <details class="server">
      <summary>Ask a model on a server</summary>
      <p class="note">
        This page sends the prompt directly to the server that you name, and to no other. The server has to speak the
        OpenAI-compatible chat API and to allow requests of other pages (CORS). The key is kept in memory until you
        close the page.
      </p>
      <div class="server-fields">
        {field("url", "Address", "http://127.0.0.1:8000/v1", "url")}
        {field("model", "Model", "name", "text")}
        {field("key", "Key (optional)", "", "password")}
        <button type="button" disabled={isAsking || server.url.trim() === ""} onClick={() => void ask()}>
          Ask
        </button>
      </div>
      <p role="status" class="note">
        {state}
      </p>
    </details>
  );
}
