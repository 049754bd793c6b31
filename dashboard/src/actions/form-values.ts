import type { ActionInput, Subject } from "./action.ts";
import type { Values } from "./run-action.ts";

/** The value as field text: a flag is "yes" or empty, a list has one item per line. */
export function fieldText(input: ActionInput, { state, given }: Subject): string {
  const value = given?.[input.name] ?? state[input.name];
  if (value === undefined || value === null || value === false) return "";
  if (value === true) return "yes";
  return Array.isArray(value) ? value.join("\n") : String(value);
}

/** Converts a form to the operation's input. Leaves out empty fields and, for an existing subject, unchanged ones. */
export function readForm(inputs: readonly ActionInput[], subject: Subject, form: FormData): Values {
  return Object.fromEntries(
    inputs.flatMap((input): [string, unknown][] => {
      const text = String(form.get(input.name) ?? "");
      const isSame = text.trim() === fieldText(input, subject).trim();
      if (isSame && !input.required && (subject.id !== null || text.trim() === "")) return [];
      if (text.trim() === "" && input.kind !== "flag") return [];
      return [[input.name, readValue(input, text)]];
    }),
  );
}

function readValue({ kind }: ActionInput, text: string): unknown {
  if (kind === "flag") return text !== "";
  if (kind === "number") return Number(text);
  // Whitespace at the end of a multi-line text is significant.
  if (kind !== "list") return text.includes("\n") ? text : text.trim();
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Turns `shouldHave` into "Should have". */
export function fieldLabel(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, " $1").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
