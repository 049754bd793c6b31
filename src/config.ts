import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ProviderSettings } from "./domain/model/endpoint.ts";
import { readProviders } from "./domain/model/read-providers.ts";
import { type Policy, extractPolicy, type SettingValues } from "./domain/policy.ts";
import { checkSettingValue } from "./domain/settings/check.ts";
import { settings } from "./domain/settings/declared.ts";
import { asksFor, type ExplainedProblem, explainProblems } from "./domain/settings/explain.ts";
import { groupDefaults } from "./domain/settings/group-defaults.ts";
import { findSetting, setValueAt } from "./domain/settings/paths.ts";
import { type SettingProblem, resolveSettings } from "./domain/settings/read.ts";
import { retired } from "./domain/settings/retired.ts";
import { folderCovers } from "./domain/workspace.ts";
import { ensureHome } from "./lib/ensure-home.ts";
import { OldhandError } from "./lib/errors.ts";
import { withFileLock } from "./lib/file-lock.ts";
import { isRecord, tryParseJson } from "./lib/json.ts";
import { readPlainFile } from "./lib/plain-file.ts";
import { replacePrivateFile } from "./lib/replace-file.ts";
import { isLink } from "./lib/within.ts";

/** What the operator chose, with defaults for the rest. Read here and nowhere else. */
export interface Config {
  readonly home: string;
  /** A SQLite file, or a postgres:// address. */
  readonly database: string;
  readonly off: OffSwitch;
  readonly policy: Policy;
  /** The one that is built in, unless another was chosen. */
  readonly embedder?: EmbedderChoice | undefined;
  /** Which models may be used, and where they are. */
  readonly providers: ProviderSettings;
}

/** The settings, and how far they can be relied on. Nothing that is wrong with them keeps them from being read. */
export interface LoadedConfig extends Config {
  /** Settings that are not taken as they stand; `explained` says it in words. */
  readonly problems: readonly SettingProblem[];
  /** Why the file as a whole could not be read, such as `it is not JSON`: every setting has its default then. */
  readonly fileFault: string | null;
  /** False where another database may be meant. Nothing may be written into `database` then. */
  readonly isDatabaseKnown: boolean;
  /** False where the file may switch oldhand off for a folder, and cannot be read. */
  readonly isOffKnown: boolean;
}

/** Who turns texts into vectors: the one that is built in, nobody, or a server that speaks `/v1/embeddings` or Ollama's `/api/embed`. */
export type EmbedderChoice =
  | { readonly kind: "minilm" }
  | { readonly kind: "none" }
  | { readonly kind: "endpoint"; readonly url: string; readonly model: string; readonly key: string | null };

export interface OffSwitch {
  readonly everywhere: boolean;
  readonly workspaces: readonly string[];
}

export interface ConfigSource {
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Never fails over what is in the file: whoever opens a database asks `requireDatabase` first. */
export function loadConfig(choice: ConfigSource = {}): LoadedConfig {
  const { home, file, values, problems } = read(choice);
  const env = choice.env ?? process.env;
  return {
    home,
    database: values.database,
    off: { everywhere: values.off, workspaces: values.offWorkspaces },
    policy: extractPolicy(values),
    embedder: embedderOf(values),
    providers: readProviders(values.models, env),
    problems,
    fileFault: file.fault,
    isDatabaseKnown:
      !problems.some(({ path }) => path === "database") &&
      (file.fault === null || Boolean(env["OLDHAND_DATABASE"]) || isDefaultDatabase(home, file.text)),
    isOffKnown: file.fault === null || saysNothingOfOff(file.text),
  };
}

/** Every setting by its name, as it is in force. */
export function loadValues(choice: ConfigSource = {}): SettingValues {
  return read(choice).values;
}

function read(choice: ConfigSource) {
  const env = choice.env ?? process.env;
  const home = resolveHome(choice);
  const file = readSettingsFile(home);
  const { values, problems } = resolveSettings(settings, { file: file.members, env }, groupDefaults);
  const database = values.database || settings.database.default;
  const inForce: SettingValues = {
    ...values,
    // A file's name in the settings means one in the home: hooks are called from everywhere.
    database: isAddress(database) ? database : resolve(home, database),
    off: isOffByEnv(env) || values.off || (file.fault !== null && SAYS_OFF.test(file.text ?? "")),
  };
  return { home, file, values: inForce, problems };
}

/** In a file that is no JSON: somebody mistyped something else, and still wants silence. */
const SAYS_OFF = /"off"\s*:\s*(?:true|1)\b/;

/** Of a file that cannot be read: it names no database, and the one that is used without a name is there. */
function isDefaultDatabase(home: string, text: string | null): boolean {
  return text !== null && !/database/i.test(text) && existsSync(join(home, settings.database.default));
}

/** Of a file that cannot be read: it is there to its last bracket, and does not say the word. */
function saysNothingOfOff(text: string | null): boolean {
  return text !== null && !/off/i.test(text) && /\}\s*$/.test(text);
}

/** Refused where nobody can say which database is meant: opening another one in its place would look like lost work. */
export function requireDatabase(config: LoadedConfig): void {
  if (config.isDatabaseKnown) return;
  const file = settingsFilePath(config.home);
  const wrong = config.problems.find(({ path }) => path === "database");
  if (wrong === undefined)
    throw new OldhandError("config", `${file} cannot be read: ${config.fileFault ?? ""}`, {
      hint: "correct it, or move it away to use the defaults; it may name a database, so none is opened",
    });
  const isInFile = wrong.wrong === "value";
  const what = isInFile ? `${file}: database` : settings.database.env;
  const scheme = SCHEME.exec(typeof wrong.given === "string" ? wrong.given : "")?.[1];
  const why =
    scheme === undefined ? "is not a database address" : `names a ${scheme} database, which oldhand does not support`;
  throw new OldhandError("config", `${what} ${why}`, {
    hint: `it takes ${asksFor(settings.database)}${isInFile ? "; oldhand config set database default uses mind.db in the home" : ""}`,
  });
}

export function explainConfig(config: LoadedConfig): readonly ExplainedProblem[] {
  return explainProblems(settings, retired, config.problems);
}

/** The database, or where oldhand is switched off, is not certain: hooks keep what they see until the file is corrected. */
export function isUncertain(config: LoadedConfig): boolean {
  return !config.isOffKnown || !config.isDatabaseKnown;
}

export function settingsFilePath(home: string): string {
  return join(home, "config.json");
}

export function resolveHome(choice: ConfigSource = {}): string {
  const env = choice.env ?? process.env;
  return resolve(choice.home || env["OLDHAND_HOME"] || join(userHome(), ".oldhand"));
}

/** As Node itself finds it; but to ask Node, a hook would load a module for this alone. */
function userHome(): string {
  const named = process.platform === "win32" ? "" : process.env["HOME"];
  return named || process.getBuiltinModule("node:os").homedir();
}

/** The home that a command line chooses, before anything else of it is read. Null where nobody can say: it is given relative to a folder that is gone, or this user has none. */
export function findHomeFlag(words: readonly string[]): string | null {
  const at = words.findIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`));
  const given = words[at] === FLAG ? words[at + 1] : words[at]?.slice(FLAG.length + 1);
  try {
    return resolveHome({ home: given });
  } catch {
    return null;
  }
}

const FLAG = "--home";

/** Where products keep what they record. */
export function thisMachine(): {
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly near: string;
} {
  return { userHome: userHome(), env: process.env, platform: process.platform, near: process.cwd() };
}

/** The off switch of one process: holds whatever the file says, also when it cannot be read. */
export function isOffByEnv(env: Readonly<Record<string, string | undefined>>): boolean {
  return isOn(env["OLDHAND_OFF"]);
}

/** One setting of the file, by its path; `undefined` takes the default again. Written whole or not at all; what else is in the file stays. */
export function writeSetting(home: string, path: string, value: unknown): void {
  const setting = findSetting(settings, path);
  if (setting === null)
    throw new OldhandError("config", `there is no setting "${path}"`, { hint: "oldhand config lists all settings" });
  if (setting.kind === "secret")
    throw new OldhandError("config", `${path} is a secret and is not stored in the file`, {
      hint: `set ${setting.env} in the environment`,
    });
  const checked = value === undefined ? undefined : checkSettingValue(setting, value);
  if (value !== undefined && checked === undefined)
    throw new OldhandError("config", `${path} must be ${asksFor(setting)}`, {
      hint: "oldhand config lists all settings",
    });
  changeFile(home, (file) => setValueAt(file, path.split("."), checked));
}

/** Takes settings out of the file that nothing reads any more; their paths. */
export function removeRetired(home: string): readonly string[] {
  const gone = explainConfig(loadConfig({ home, env: {} }))
    .filter(({ isRetired }) => isRetired)
    .map(({ path }) => path);
  if (gone.length > 0)
    changeFile(home, (file) => gone.reduce((left, path) => setValueAt(left, path.split("."), undefined), file));
  return gone;
}

type Members = Readonly<Record<string, unknown>>;

function changeFile(home: string, change: (file: Members) => Members): void {
  ensureHome(home);
  const path = settingsFilePath(home);
  withFileLock(path, () => {
    const { members, fault } = readSettingsFile(home);
    if (fault !== null)
      throw new OldhandError("config", `${path} cannot be changed: ${fault}`, {
        hint: "correct it, or move it away to use the defaults; nothing was written",
      });
    replacePrivateFile(path, `${JSON.stringify(change(members), null, 2)}\n`);
  });
}

export function isSomewhereOff(off: OffSwitch): boolean {
  return off.everywhere || off.workspaces.length > 0;
}

export function isOff(off: OffSwitch, workspace: string | null): boolean {
  return off.everywhere || (workspace !== null && findOffFolder(off, workspace) !== null);
}

/** The folder with which this one was switched off. */
export function findOffFolder(off: OffSwitch, workspace: string): string | null {
  return off.workspaces.find((folder) => folderCovers(folder, workspace)) ?? null;
}

/** What is in the file. Where it has a fault, no members; the text only where it could be read. */
function readSettingsFile(home: string): {
  readonly members: Members;
  readonly fault: string | null;
  readonly text: string | null;
} {
  const path = settingsFilePath(home);
  const read = readPlainFile(path);
  if (read.kind === "refused") return { members: {}, fault: read.why, text: null };
  if (read.kind === "missing") {
    return { members: {}, fault: isLink(path) ? "it is a link to a missing file" : null, text: null };
  }
  // Some editors put a mark of their own before the first character.
  const text = read.text.replace(/^\uFEFF/, "");
  const parsed = tryParseJson(text);
  if (isRecord(parsed)) return { members: parsed, fault: null, text };
  return { members: {}, fault: parsed === undefined ? "it is not JSON" : "it is not a JSON object", text };
}

function isAddress(database: string): boolean {
  return SCHEME.test(database);
}

const SCHEME = /^([a-z][\w+.-]+):\/\//i;

/** `http://127.0.0.1:11434/v1#nomic-embed-text`: where, and which model. */
function embedderOf({ embedder, embedderKey }: SettingValues): EmbedderChoice {
  if (embedder === "minilm" || embedder === "none") return { kind: embedder };
  const [url = "", model = ""] = embedder.split("#");
  return { kind: "endpoint", url: url.replace(/\/+$/, ""), model, key: embedderKey };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value.toLowerCase() !== "false";
}
