import type { ActionInput, Subject } from "../../actions/action.ts";
import { fieldLabel, fieldText } from "../../actions/form-values.ts";
import { WithCommands } from "../with-commands.tsx";

type Props = { readonly input: ActionInput; readonly subject: Subject; readonly isFirst: boolean };

export function ActionField({ input, subject, isFirst }: Props) {
  const { name, says, required, kind } = input;
  const id = `action-${name}`;
  const hint = `${id}-hint`;
  const text = fieldText(input, subject);
  const common = {
    id,
    name,
    required,
    autofocus: isFirst,
    "aria-describedby": says === "" ? undefined : hint,
  };
  if (kind === "flag") {
    return (
      <div>
        <label class="flex items-center gap-2 text-sm">
          <input {...common} type="checkbox" class="accent-link" value="yes" defaultChecked={text !== ""} />
          {fieldLabel(name)}
        </label>
        <Hint id={hint} says={says} />
      </div>
    );
  }
  return (
    <div>
      <label class="flex flex-col gap-1 text-sm font-medium" for={id}>
        <span>
          {fieldLabel(name)}
          {!required && text === "" && <span class="font-normal text-faint"> optional</span>}
        </span>
      </label>
      <Control input={input} common={common} text={text} known={subject.known?.[name]} />
      <Hint id={hint} says={kind === "list" ? `${says}; one per line` : says} />
    </div>
  );
}

type ControlProps = {
  readonly input: ActionInput;
  readonly common: {
    readonly id: string;
    readonly name: string;
    readonly required: boolean;
    readonly autofocus: boolean;
  };
  readonly text: string;
  readonly known: readonly string[] | undefined;
};

function Control({ input, common, text, known }: ControlProps) {
  const { kind, choices = [], required, least, most } = input;
  if (kind === "choice") {
    return (
      <select {...common} class="field mt-1 w-full" value={text}>
        {(!required || text === "") && <option value="">{required ? "choose" : "default"}</option>}
        {choices.map((one) => (
          <option key={one} value={one} selected={one === text}>
            {one}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "text" || kind === "list") {
    const lines = Math.min(
      18,
      Math.max(kind === "list" ? 3 : 4, Math.ceil(text.length / 70), text.split("\n").length + 1),
    );
    return <textarea {...common} class="field mt-1 w-full" rows={lines} defaultValue={text} />;
  }
  if (kind === "number") {
    return (
      <input
        {...common}
        type="number"
        class="field mt-1 w-full"
        step="any"
        min={least ?? undefined}
        max={most ?? undefined}
        defaultValue={text}
      />
    );
  }
  return (
    <>
      <input
        {...common}
        class="field mt-1 w-full"
        autocomplete="off"
        list={known && `${common.id}-known`}
        defaultValue={text}
      />
      {known && (
        <datalist id={`${common.id}-known`}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}

function Hint({ id, says }: { readonly id: string; readonly says: string }) {
  return says === "" ? null : (
    <p id={id} class="mt-0.5 text-xs text-faint">
      <WithCommands text={says} />
    </p>
  );
}
