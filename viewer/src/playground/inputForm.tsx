/** The fields of a program, its call and a model's text, and the examples. */
import type { Example, Inputs, PlaygroundSettings } from "./settings";

interface Props {
  settings: PlaygroundSettings;
  inputs: Inputs;
  change: (inputs: Inputs) => void;
  choose: (example: Example) => void;
}

export function InputForm({ settings, inputs, change, choose }: Props) {
  const set = (name: keyof Inputs) => (event: { currentTarget: { value: string } }) =>
    change({ ...inputs, [name]: event.currentTarget.value });
  return (
    <>
      <label class="field example">
        <span>Example</span>
        <select
          onChange={({ currentTarget }) => {
            const example = settings.examples[Number(currentTarget.value)];
            if (example) choose(example);
          }}
        >
          {settings.examples.map(({ title }, index) => (
            <option value={index}>{title}</option>
          ))}
        </select>
      </label>
      <div class="inputs">
        <div class="panel">
          <label class="field">
            <span>Program (Python)</span>
            <textarea name="code" rows={14} spellcheck={false} value={inputs.code} onInput={set("code")} />
          </label>
          <label class="field">
            <span>Call</span>
            <input name="call" type="text" spellcheck={false} value={inputs.call} onInput={set("call")} />
          </label>
        </div>
        <div class="panel">
          <label class="field">
            <span>The model's text</span>
            <textarea name="output" rows={14} spellcheck={false} value={inputs.output} onInput={set("output")} />
          </label>
          <label class="field">
            <span>Its format</span>
            <select name="codec" value={inputs.codec} onChange={set("codec")}>
              {settings.formats.map(({ name, title }) => (
                <option value={name}>{title}</option>
              ))}
            </select>
          </label>
        </div>
      </div>
    </>
  );
}
