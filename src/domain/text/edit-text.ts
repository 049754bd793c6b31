import { isRecord } from "../../lib/json.ts";

const editTools: ReadonlySet<string> = new Set(
  (
    "edit multiedit write notebookedit apply_patch str_replace_editor str_replace_based_edit_tool replace write_file edit_file " +
    "create_file search_replace insert_edit_into_file replace_string_in_file write_to_file replace_in_file patch"
  ).split(" "),
);

/** Hosts name their edit tools differently; a matcher's tool `edits` stands for all of them. */
export function isEditTool(tool: string): boolean {
  return editTools.has(tool.toLowerCase());
}

/** One replacement of an edit: the old text and the new text. */
export interface Edit {
  readonly before: string;
  readonly after: string;
}

export function findEdits(input: unknown): readonly Edit[] {
  if (typeof input === "string") return patchEdits(input);
  if (!isRecord(input)) return [];
  for (const [before, after] of pairs) {
    const [old, fresh] = [input[before], input[after]];
    if (typeof old === "string" && typeof fresh === "string") return [{ before: old, after: fresh }];
  }
  const { edits } = input;
  if (Array.isArray(edits)) return edits.slice(0, MOST).flatMap(findEdits);
  const patch = input["patch"] ?? input["input"] ?? input["diff"];
  return typeof patch === "string" ? patchEdits(patch) : [];
}

/** All text that a call writes, by an edit or as a whole file; null if it writes none. */
export function findWrittenText(input: unknown): string | null {
  if (isRecord(input))
    for (const field of wholes) {
      const value = input[field];
      if (typeof value === "string") return value;
    }
  const edits = findEdits(input);
  return edits.length === 0 ? null : edits.map((edit) => edit.after).join("\n");
}

/** True if the text contains the fragment at word boundaries, not inside a longer word. */
export function holdsFragment(text: string, fragment: string): boolean {
  const [opens, closes] = [isWordCharacter(fragment[0]), isWordCharacter(fragment.at(-1))];
  for (let at = text.indexOf(fragment); at !== -1; at = text.indexOf(fragment, at + 1)) {
    const end = at + fragment.length;
    if (!(opens && isWordCharacter(text[at - 1])) && !(closes && isWordCharacter(text[end]))) return true;
  }
  return false;
}

export function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}

const MOST = 50;

const pairs = [
  ["old_string", "new_string"],
  ["old_str", "new_str"],
  ["oldString", "newString"],
  ["oldText", "newText"],
  ["old_text", "new_text"],
  ["search", "replace"],
] as const;

const wholes = ["content", "file_text", "contents"];

/** Pairs removed lines with the added lines that follow. Lines that are only removed are dropped. */
function patchEdits(patch: string): readonly Edit[] {
  const edits: Edit[] = [];
  let [out, fresh]: [string[], string[]] = [[], []];
  const flush = () => {
    if (fresh.length > 0) edits.push({ before: out.join("\n"), after: fresh.join("\n") });
    [out, fresh] = [[], []];
  };
  for (const line of patch.split("\n")) {
    if (line.startsWith("-") && !line.startsWith("--- ")) {
      if (fresh.length > 0) flush();
      out.push(line.slice(1));
    } else if (line.startsWith("+") && !line.startsWith("+++ ")) fresh.push(line.slice(1));
    else flush();
  }
  flush();
  return edits.slice(0, MOST);
}
