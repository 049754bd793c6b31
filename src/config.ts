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
import { fileStamp } from "./lib/file-stamp.ts";
import { withFileLock } from "./lib/file-lock.ts";
import { isRecord, tryParseJson } from "./lib/json.ts";
import { readPlainFile } from "./lib/plain-file.ts";
import { replacePrivateFile } from "./lib/replace-file.ts";
import { isLink } from "./lib/within.ts";

/** What the operator chose, with defaults for the rest. */
export interface Config {
  readonly home: string;
  /** A SQLite file, or a postgres:// address. */
  readonly database: string;
  readonly off: OffSwitch;
  readonly policy: Policy;
  /** The built-in one if absent. */
  readonly embedder?: EmbedderChoice | undefined;
  /** Which models may be used, and where they are. */
  readonly providers: ProviderSettings;
}

/** The settings, and how reliable they are. They are returned even if something is wrong with them. */
export interface LoadedConfig extends Config {
  /** Settings whose value is not used as written; `explainConfig` describes them. */
  readonly problems: readonly SettingProblem[];
  /** Why the whole file could not be read, such as `it is not JSON`. Then every setting has its default. */
  readonly fileFault: string | null;
  /** False if another database may be meant. Then nothing may be written to `database`. */
  readonly isDatabaseKnown: boolean;
  /** False if the file cannot be read and may switch oldhand off for a folder. */
  readonly isOffKnown: boolean;
}

/**
 * What turns texts into vectors: the built-in model, nothing, or a server with `/v1/embeddings` or Ollama's
 * `/api/embed`.
 */
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

/** Never throws because of the file's content. Call `requireDatabase` before opening a database. */
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

/**
 * The settings as they are at each call, for a process that lives long: the file is read again when it has changed, and until then
 * the result is the same object. The store and the embedder stay those that are open. While the file cannot be read, such as when
 * an editor has written half of it, the last settings stay; only the off switch is still seen in it.
 */
export function followSettings(opened: Config, env: ConfigSource["env"] = process.env): () => Config {
  const { home, database, embedder } = opened;
  const path = settingsFilePath(home);
  let [stamp, current]: [string | null, Config] = [null, opened];
  return () => {
    const now = fileStamp(path);
    if (now === stamp) return current;
    stamp = now;
    const { fileFault, off, policy, providers } = loadConfig({ home, env });
    if (fileFault === null) current = { home, database, embedder, off, policy, providers };
    else if (off.everywhere) current = { ...current, off };
    return current;
  };
}

/**
 * Reads the address of the database again, for each new connection of a process that lives long: its password may have been
 * changed. Undefined if the address is in the environment, which never changes while a process lives.
 */
export function followDatabase(
  { home }: Pick<Config, "home">,
  env: ConfigSource["env"] = process.env,
): (() => string) | undefined {
  return env["OLDHAND_DATABASE"] ? undefined : () => loadConfig({ home, env }).database;
}

/** Every setting by name, with the value in force. */
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
    // A relative path is resolved against the home, because hooks run in any folder.
    database: isAddress(database) ? database : resolve(home, database),
    off: isOffByEnv(env) || values.off || (file.fault !== null && SAYS_OFF.test(file.text ?? "")),
  };
  return { home, file, values: inForce, problems };
}

/** For a file that is not valid JSON: if something else was mistyped, oldhand still stays off. */
const SAYS_OFF = /"off"\s*:\s*(?:true|1)\b/;

/** For a file that cannot be parsed: true if it does not name a database and the default database exists. */
function isDefaultDatabase(home: string, text: string | null): boolean {
  return text !== null && !/database/i.test(text) && existsSync(join(home, settings.database.default));
}

/** For a file that cannot be parsed: true if it is complete (ends with a bracket) and does not contain `off`. */
function saysNothingOfOff(text: string | null): boolean {
  return text !== null && !/off/i.test(text) && /\}\s*$/.test(text);
}

/** Throws if it is unclear which database is meant. Opening another one instead would look like lost work. */
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

/**
 * True if it is unclear which database is meant or where oldhand is off. Then hooks spool events until the file is
 * corrected.
 */
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

/** The same result as `os.homedir()`, which a hook would load a module for. */
function userHome(): string {
  const named = process.platform === "win32" ? "" : process.env["HOME"];
  return named || process.getBuiltinModule("node:os").homedir();
}

/**
 * The home chosen on a command line, before the rest is parsed. Null if it cannot be resolved: a relative path in a
 * deleted folder, or a user without a home folder.
 */
export function findHomeFlag(words: readonly string[]): string | null {
  try {
    return resolveHome({ home: findFlagValue(words, "--home") });
  } catch {
    return null;
  }
}

/** The value of a flag on a command line, before the rest is parsed: `--home DIR` or `--home=DIR`. */
export function findFlagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  return words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1);
}

/** What is needed to find the files of other products on this machine. */
export function thisMachine(): {
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly near: string;
} {
  return { userHome: userHome(), env: process.env, platform: process.platform, near: process.cwd() };
}

/** True if other machines may use the same mind. */
export function isSharedMind({ database }: Pick<Config, "database">): boolean {
  return /^postgres(?:ql)?:\/\//.test(database);
}

/** The off switch of one process. It applies whatever the file says, even if the file cannot be read. */
export function isOffByEnv(env: Readonly<Record<string, string | undefined>>): boolean {
  return isOn(env["OLDHAND_OFF"]);
}

/** Writes settings to the file in one step; `undefined` restores the default. Atomic; the rest of the file is kept. */
export function writeSettings(home: string, changes: readonly (readonly [path: string, value: unknown])[]): void {
  const checked = changes.map(([path, value]) => [path.split("."), requireWritable(path, value)] as const);
  changeFile(home, (file) => checked.reduce((left, [path, value]) => setValueAt(left, path, value), file));
}

/** The value as the file holds it. Throws if the setting is unknown, a secret, or cannot have the value. */
function requireWritable(path: string, value: unknown): unknown {
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
  return checked;
}

/** A member of the file as it is written there; undefined if it has none. */
export function readSettingMember(home: string, name: string): unknown {
  const { members } = readSettingsFile(home);
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Removes retired settings from the file and returns their paths. */
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

/** The folder whose off switch covers this workspace. */
export function findOffFolder(off: OffSwitch, workspace: string): string | null {
  return off.workspaces.find((folder) => folderCovers(folder, workspace)) ?? null;
}

/** Reads the file. `members` is empty if there is a fault; `text` is null if the file could not be read. */
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
  // Some editors write a byte order mark.
  const text = read.text.replace(/^\uFEFF/, "");
  const parsed = tryParseJson(text);
  if (isRecord(parsed)) return { members: parsed, fault: null, text };
  return { members: {}, fault: parsed === undefined ? "it is not JSON" : "it is not a JSON object", text };
}

function isAddress(database: string): boolean {
  return SCHEME.test(database);
}

const SCHEME = /^([a-z][\w+.-]+):\/\//i;

/** `http://127.0.0.1:11434/v1#nomic-embed-text`: the address and the model. */
function embedderOf({ embedder, embedderKey }: SettingValues): EmbedderChoice {
  if (embedder === "minilm" || embedder === "none") return { kind: embedder };
  const [url = "", model = ""] = embedder.split("#");
  return { kind: "endpoint", url: url.replace(/\/+$/, ""), model, key: embedderKey };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value.toLowerCase() !== "false";
}
