import type { Config } from "../../../config.ts";
import { redact } from "../../../domain/redact/redact.ts";
import { OWN_SESSION_VARIABLE } from "../../../observe/protocol/host-env.ts";

export type Environment = Readonly<Record<string, string>>;

export interface EnvironmentRequest {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly providers: Config["providers"];
  readonly session: string;
  /** True for a closed sandbox: only what programs need to start. */
  readonly isClosed: boolean;
}

/**
 * The environment of a command: without keys, tokens and passwords, and without oldhand's own settings. It marks the
 * shell as the agent's, so that oldhand's commands there are not taken for the owner's.
 */
export function composeShellEnvironment({ env, providers, session, isClosed }: EnvironmentRequest): Environment {
  const keys = new Set(providers.endpoints.flatMap(({ keyEnv }) => keyEnv));
  const kept = Object.entries(env).filter((pair): pair is [string, string] => {
    const [name, value] = pair;
    return value !== undefined && !keys.has(name) && (isClosed ? isNeeded(name) : !isSecret(name, value));
  });
  return {
    ...Object.fromEntries(kept),
    ...(isClosed ? writableFolders : {}),
    ...quietPrograms,
    [OWN_SESSION_VARIABLE]: session,
  };
}

function isNeeded(name: string): boolean {
  return needed.test(name);
}

const needed =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TERM|CI|NODE_VERSION|NVM_DIR|JAVA_HOME|GOPATH|GOROOT|CARGO_HOME|RUSTUP_HOME|PYENV_ROOT|VIRTUAL_ENV|SystemRoot|ComSpec|PATHEXT|TEMP|TMP|USERPROFILE)$/;

/** Judged by the name, and by the value as text. */
function isSecret(name: string, value: string): boolean {
  return telling.test(name) || redact(`${name}=${value}`) !== `${name}=${value}` || redact(value) !== value;
}

const telling =
  /^OLDHAND_|KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|_PAT$|_PWD$|(?:^|_)AUTH(?:_|$)|CONNECTION_STRING|DATABASE_URL|_DSN$/i;

/** The user's home cannot be written there. */
const writableFolders: Environment = {
  XDG_CACHE_HOME: "/tmp/.cache",
  npm_config_cache: "/tmp/.npm",
  GOCACHE: "/tmp/.go-cache",
};

/** Nobody can answer a pager, an editor or a question. */
const quietPrograms: Environment = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  DEBIAN_FRONTEND: "noninteractive",
};
