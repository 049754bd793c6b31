import { accessSync, chmodSync, constants, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { defaultPolicy, type Policy, settingAt, settings } from "./domain/policy.ts";
import { OldhandError, systemCodeOf } from "./lib/errors.ts";
import { isRecord, tryParse } from "./lib/json.ts";
import { replacePrivateFile } from "./lib/replace-file.ts";

/** What the operator chose, with defaults for the rest. Read here and nowhere else. */
export interface Config {
  readonly home: string;
  /** A SQLite file, or a postgres:// address. */
  readonly database: string;
  readonly off: Off;
  readonly policy: Policy;
  /** The one that is built in, unless another was chosen. */
  readonly embedder?: EmbedderChoice | undefined;
}

/** Who turns texts into vectors: the one that is built in, nobody, or a server that speaks `/v1/embeddings` or Ollama's `/api/embed`. */
export type EmbedderChoice =
  | { readonly kind: "minilm" }
  | { readonly kind: "none" }
  | { readonly kind: "endpoint"; readonly url: string; readonly model: string; readonly key: string | null };

export interface Off {
  readonly everywhere: boolean;
  readonly workspaces: readonly string[];
}

export interface Choice {
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What is in the file, as written. */
interface Chosen {
  readonly database?: string;
  readonly off?: boolean;
  readonly offWorkspaces?: readonly string[];
  readonly embedder?: string;
  readonly [group: string]: unknown;
}

export function loadConfig(choice: Choice = {}): Config {
  const env = choice.env ?? process.env;
  const home = homeOf(choice);
  const chosen = readChosen(home);
  for (const problem of problemsOf(chosen)) {
    throw new OldhandError("config", `${join(home, "config.json")}: ${problem}`, {
      hint: "correct it there, or move the file away to start with the defaults",
    });
  }
  return {
    home,
    database: databaseOf(env["OLDHAND_DATABASE"] || chosen.database || "mind.db", home),
    off: { everywhere: isOffByEnv(env) || chosen.off === true, workspaces: chosen.offWorkspaces ?? [] },
    policy: policyOf(chosen),
    embedder: embedderOf(env["OLDHAND_EMBEDDER"] || chosen.embedder || "minilm", env["OLDHAND_EMBEDDER_KEY"]),
  };
}

export function homeOf(choice: Choice = {}): string {
  const env = choice.env ?? process.env;
  return resolve(choice.home || env["OLDHAND_HOME"] || join(homedir(), ".oldhand"));
}

/** Where products keep what they record. */
export function thisMachine(): {
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly near: string;
} {
  return { userHome: homedir(), env: process.env, platform: process.platform, near: process.cwd() };
}

/** The off switch of one process: holds whatever the file says, also when it cannot be read. */
export function isOffByEnv(env: Readonly<Record<string, string | undefined>>): boolean {
  return isOn(env["OLDHAND_OFF"]);
}

/** The home, made if it is missing, for its owner's eyes only. A folder that was there keeps the rights it has: it may be anybody's. */
export function ensureHome(home: string): void {
  try {
    const made = mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.W_OK);
    // A generous umask takes nothing away, but a folder's inherited rights (ACLs) may add some.
    if (made !== undefined && process.platform !== "win32") chmodSync(home, 0o700);
  } catch (cause) {
    const code = systemCodeOf(cause);
    const what =
      code === "EEXIST" || code === "ENOTDIR"
        ? "is not a folder"
        : code === "ENOSPC"
          ? "cannot be made: the disk is full"
          : "cannot be made or written";
    throw new OldhandError(code === "ENOSPC" ? "store-full" : "config", `the home ${home} ${what}`, {
      hint: "choose another with --home or OLDHAND_HOME",
      cause,
    });
  }
}

/** One setting of the file, by its path; `undefined` takes the default again. Written whole or not at all. */
export function writeSetting(home: string, path: string, value: unknown): void {
  const chosen: Record<string, unknown> = { ...readChosen(home) };
  const [group = "", name] = path.split(".");
  if (!isKnown(path))
    throw new OldhandError("config", `there is no setting "${path}"`, { hint: "oldhand config lists what there is" });
  if (name === undefined) assign(chosen, group, value);
  else {
    const members = isRecord(chosen[group]) ? { ...chosen[group] } : {};
    assign(members, name, value);
    assign(chosen, group, Object.keys(members).length > 0 ? members : undefined);
  }
  for (const problem of problemsOf(chosen))
    throw new OldhandError("config", problem, { hint: "oldhand config lists what there is" });
  ensureHome(home);
  replacePrivateFile(join(home, "config.json"), `${JSON.stringify(chosen, null, 2)}\n`);
}

export function isOff(off: Off, workspace: string | null): boolean {
  return (
    off.everywhere ||
    (workspace !== null &&
      off.workspaces.some(
        (one) => workspace === one || workspace.startsWith(`${one}/`) || workspace.startsWith(`${one}\\`),
      ))
  );
}

/** The schema of the file, for editors: published as schemas/config.schema.json. */
export function configSchema(): unknown {
  const groups = Object.entries(settings).map(([group, members]) => [
    group,
    {
      type: "object",
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(members).map(([name, one]) => [
          name,
          { type: "number", minimum: one.min, maximum: one.max, default: one.value, description: one.summary },
        ]),
      ),
    },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "oldhand configuration",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      database: { type: "string", description: "a SQLite file, or postgres://user:password@host/database" },
      off: { type: "boolean", default: false, description: "hooks return at once, nothing is stored, nothing is said" },
      embedder: {
        type: "string",
        default: "minilm",
        description:
          "minilm (built in, English, offline), none, or URL#MODEL of a server: http://127.0.0.1:11434/v1#nomic-embed-text",
      },
      offWorkspaces: { type: "array", items: { type: "string" }, description: "the same for these folders only" },
      ...Object.fromEntries(groups),
    },
  };
}

function readChosen(home: string): Chosen {
  const file = join(home, "config.json");
  const text = readText(file);
  if (text === null) return {};
  const parsed = tryParse(text);
  if (isRecord(parsed)) return parsed as Chosen;
  throw new OldhandError("config", `${file} is not a JSON object`, {
    hint: "mend it, or move it away to start with the defaults",
  });
}

/** Null where there is none. */
function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const code = systemCodeOf(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new OldhandError("config", `${file} cannot be read${code === "EISDIR" ? ": it is a folder" : ""}`, {
      hint: "mend it, or move it away to start with the defaults",
      cause,
    });
  }
}

/** A file's name in the settings means one in the home: hooks are called from everywhere. */
function databaseOf(text: string, home: string): string {
  const scheme = /^([a-z][\w+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return resolve(home, text);
  if (scheme === "postgres" || scheme === "postgresql") return text;
  throw new OldhandError("config", `no mind can be kept in a ${scheme} database`, {
    hint: "OLDHAND_DATABASE takes a file, or postgres://user:password@host:5432/database",
  });
}

/** `http://127.0.0.1:11434/v1#nomic-embed-text`: where, and which model. */
function embedderOf(text: string, key: string | undefined): EmbedderChoice {
  if (text === "minilm" || text === "none") return { kind: text };
  if (!isEmbedder(text))
    throw new OldhandError("config", `"${text}" is no embedder`, {
      hint: "minilm, none, or a server's URL#MODEL such as http://127.0.0.1:11434/v1#nomic-embed-text",
    });
  const [url = "", model = ""] = text.split("#");
  return { kind: "endpoint", url: url.replace(/\/+$/, ""), model, key: key || null };
}

function isEmbedder(value: unknown): value is string {
  if (value === "minilm" || value === "none") return true;
  return typeof value === "string" && /^https?:\/\/[^\s#]+#\S+$/.test(value) && URL.canParse(value);
}

function isKnown(path: string): boolean {
  return (
    path === "database" || path === "off" || path === "offWorkspaces" || path === "embedder" || settingAt(path) !== null
  );
}

function problemsOf(chosen: Readonly<Record<string, unknown>>): string[] {
  const problems: string[] = [];
  for (const [key, value] of Object.entries(chosen)) {
    if (key === "$schema") continue;
    if (key === "database") problems.push(...(typeof value === "string" ? [] : ["database must be text"]));
    else if (key === "embedder")
      problems.push(...(isEmbedder(value) ? [] : ["embedder must be minilm, none or URL#MODEL"]));
    else if (key === "off") problems.push(...(typeof value === "boolean" ? [] : ["off must be true or false"]));
    else if (key === "offWorkspaces")
      problems.push(
        ...(Array.isArray(value) && value.every((one) => typeof one === "string")
          ? []
          : ["offWorkspaces must be a list of folders"]),
      );
    else if (!Object.hasOwn(settings, key) || !isRecord(value)) problems.push(`there is no setting "${key}"`);
    else for (const [name, given] of Object.entries(value)) problems.push(...problemWith(`${key}.${name}`, given));
  }
  return problems;
}

function problemWith(path: string, given: unknown): string[] {
  const setting = settingAt(path);
  if (setting === null) return [`there is no setting "${path}"`];
  if (typeof given !== "number" || !Number.isFinite(given)) return [`${path} must be a number`];
  return given < setting.min || given > setting.max
    ? [`${path} must be between ${setting.min} and ${setting.max}, not ${given}`]
    : [];
}

function policyOf(chosen: Chosen): Policy {
  return Object.fromEntries(
    Object.entries(defaultPolicy).map(([group, members]) => {
      const over = chosen[group];
      return [group, isRecord(over) ? { ...members, ...over } : members];
    }),
  ) as Policy;
}

function assign(target: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) delete target[name];
  else target[name] = value;
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value.toLowerCase() !== "false";
}
