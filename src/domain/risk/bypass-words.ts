/**
 * True if an option, judged by the parts of its name and by its value, may switch off a protection, a question or a
 * check, destroy something, or gain privileges. It asks what the option resembles, not what the program documents: a
 * list of dangerous options is never complete.
 */
export function resemblesBypass(option: string, value: string | null = null): boolean {
  const [, name = option, own = null] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
  const given = own ?? value;
  if (given !== null && (isBypassValue(given) || isForAll(given))) return true;
  if (/^-[A-Za-z]/.test(name) && !/^-[a-z]{3,}(?:-[a-z]+)*$/.test(name)) return isBypassLetters(name.slice(1));
  // `-uroot` may be one word or a letter with its value.
  return isBypassName(name) || isForAll(name) || (/^-[a-z]/.test(name) && isBypassValue(name.slice(2)));
}

/** The same for a variable that is set for a command: `ANSIBLE_HOST_KEY_CHECKING=False`. */
export function isBypassSetting(setting: string): boolean {
  const [name = "", ...value] = setting.split("=");
  return isBypassName(name) || isBypassValue(value.join("="));
}

/** True if leaving the option out may leave out a check, or what keeps a call from doing harm: `--dry-run`, `--atomic`. */
export function isProtectingOption(option: string, program: string): boolean {
  // `-n` is mostly a dry run, and `-S` of git signs.
  if (/^-[A-Za-z]$/.test(option)) return option === "-n" || (program === "git" && /^-[sS]$/.test(option));
  return /read-?only/i.test(option) || partsOf(option).some((part) => protecting.test(part));
}

const protecting =
  /^(?:check|chek|verif|valid|dry|frozen|lock|strict|safe|sandbox|isolat|immutable|readonly|sign|audit|secure|confirm|interactive|hash|require|provenance|attest|atomic|ignore|preview|plan|diff|simulat|what|noop|backup|rollback|network|limit|max|timeout|wait|scan|lint|test|fail|guard|protect|encrypt|tls|ssl|cert|mask|redact|quarantine)/;

/** True of a subcommand by which a person says that something is to be trusted: `allow`, `trust`, `approve-builds`. */
export function givesTrust(word: string): boolean {
  return partsOf(word).some((part) =>
    /^(?:allow|trust|approve|accept|permit|grant|unlock|unblock|whitelist)$/.test(part),
  );
}

/** Letters are opaque, except that these mostly mean yes, force or delete. An attached value is judged: `-uroot`. */
function isBypassLetters(letters: string): boolean {
  return /^[A-Za-z]{0,3}$/.test(letters) ? /[yYfFD]/.test(letters) : isBypassValue(letters.slice(1));
}

function isBypassName(name: string): boolean {
  if (/^--?(?:as|run-?as|login-?as)(?:-(?:user|group|uid|root|admin))?$/i.test(name)) return true;
  const parts = partsOf(name);
  return parts.some((part) => bypassing.test(part)) || /exit-?code|exit-?zero/i.test(name);
}

/** What reaches production, or everybody: `--prod`, `--access public`, `--context prod-eu`. */
function isForAll(text: string): boolean {
  return partsOf(text).some((part) => /^(?:prod|production|live|public|everyone|world|latest)$/.test(part));
}

/** The words of `--no-error`, `--assumeYes`, `PGSSLMODE`. */
function partsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

const bypassing =
  /^(?:y|yes|assume\w*|auto|forc\w+|no|non|not|without|un(?:safe|secure|lock|restricted|authenticated|trusted)\w*|no(?:input|verify|check|prompt|confirm|gpg|error|lint|test|hooks?|sign|warn|fail|strict|sandbox)\w*|skip\w*|disabl\w+|ignor\w+|insecure\w*|allow\w*|clean|cleanup|delet\w+|remov\w+|rm|purg\w+|prun\w+|drop\w*|reset\w*|wip\w+|eras\w+|destroy\w*|discard\w*|approv\w+|trust\w*|root|admin\w*|superuser|sudo|privileg\w+|bypass\w*|overrid\w+|overwrit\w+|clobber|accept\w*|impersonat\w+|danger\w*|hard|lax|permissive|relax\w*|fake|baseline)$/;

/** A value that switches off, or names an account that may do anything. */
export function isBypassValue(value: string): boolean {
  const last = value.split(/[=\s]/).at(-1) ?? value;
  return (
    // A selection that leaves out: `-k "not slow"`.
    /^not\s/i.test(value) ||
    /^(?:false|off|none|never|no|0|disabled?|skip|ignore|allow|bypass|unconfined|\/dev\/null)$/i.test(last) ||
    /(?:^|[^a-z])(?:root|admin|administrator|superuser|sudo)(?:$|[^a-z])/i.test(value)
  );
}
