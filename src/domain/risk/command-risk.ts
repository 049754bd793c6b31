import { type ShellCommand, parseCommands, withScripts } from "../shell/command.ts";

/** Why a command must never be taught as a remedy. */
export type CommandRisk = "forces" | "deletes" | "discards work" | "skips a check" | "raises privileges";

/**
 * The one law about commands that work because they force, delete, discard work, skip a check or raise privileges. That
 * such a call worked shows only that it went around the error. Null for a command that does none of this as far as its
 * words tell.
 */
export function findCommandRisk(shell: string): CommandRisk | null {
  if (downloadedScript.test(shell)) return "skips a check";
  // `python3 tools/db.py reset` does what `tools/db.py reset` does.
  for (const command of withScripts(parseCommands(shell))) {
    const risk = riskOf(command);
    if (risk !== null) return risk;
  }
  return null;
}

/** The risk of one option of a command; the head is the program with its subcommands. */
export function findOptionRisk(head: string, option: string): CommandRisk | null {
  const [program = "", ...rest] = head.split(" ");
  for (const { of, option: is, risk, except } of optionLaws)
    if (is.test(option) && (of === undefined || of.test([program, ...rest].join(" "))) && except?.test(option) !== true)
      return risk;
  return null;
}

/** The risk of a variable set for a command: `HUSKY=0`. The value may be missing. */
export function findSettingRisk(setting: string): CommandRisk | null {
  return riskySettings.test(setting) ? "skips a check" : null;
}

/** The risk of what a call has or lacks, as its traits say it: `flag --force`, `under sudo`, `sets HUSKY`. */
export function findTraitRisk(trait: string, head: string | null): CommandRisk | null {
  const [kind = "", rest = ""] = [trait.split(" ", 1)[0], trait.slice(trait.indexOf(" ") + 1)];
  if (kind === "flag") return findOptionRisk(head ?? "", rest);
  if (kind === "under") return privileged.test(rest) ? "raises privileges" : null;
  if (kind === "sets") return findSettingRisk(`${rest}=`) ?? findSettingRisk(`${rest}=0`);
  if (kind === "arg") return rest.startsWith("-") ? findOptionRisk(head ?? "", rest.replace(" ", "=")) : null;
  return kind === "after" || kind === "call" ? findCommandRisk(rest) : null;
}

/** True if the command deletes something or discards work, whoever runs it. */
export function deletes(command: ShellCommand): boolean {
  if (command.head === "git rm") return true;
  const risk = riskOf({ ...command, wrappers: [], assignments: [] });
  return risk === "deletes" || risk === "discards work";
}

function riskOf(command: ShellCommand): CommandRisk | null {
  const { program, head, words, wrappers, assignments } = command;
  if (wrappers.some((one) => privileged.test(one)) || privileged.test(program)) return "raises privileges";
  const settings = program === "export" ? words.slice(1) : assignments;
  if (settings.some((one) => findSettingRisk(one) !== null)) return "skips a check";
  const line = words.slice(1).join(" ");
  for (const { of, line: is, risk } of lineLaws) if (of.test(head) && is.test(line)) return risk;
  for (const word of words.slice(1)) {
    if (word === "--") break;
    const risk = word.startsWith("-") ? findOptionRisk(head, word) : null;
    if (risk !== null) return risk;
  }
  return null;
}

const privileged = /^(?:sudo|doas|su|pkexec|runas|gsudo|run0|please)$/;

const downloadedScript = /\b(?:curl|wget)\b[^|;&\n]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/;

const riskySettings =
  /^(?:NODE_TLS_REJECT_UNAUTHORIZED=0?$|GIT_SSL_NO_VERIFY|PYTHONHTTPSVERIFY=0?$|CURL_INSECURE|HUSKY=0?$|HUSKY_SKIP|LEFTHOOK=(?:0|false)?$|PRE_COMMIT_ALLOW|SKIP(?:_\w+)?=|\w+_SKIP_\w+=|NO_VERIFY|\w*_NO_VERIFY|PIP_BREAK_SYSTEM_PACKAGES|(?:NPM_CONFIG|npm_config)_(?:FORCE|force|LEGACY|legacy|STRICT_SSL|strict_ssl)|GO(?:NOSUM\w*|INSECURE)=|GOSUMDB=(?:off)?$|GOFLAGS=-insecure|DISABLE_\w*(?:CHECK|VERIF|HOOK|SANDBOX)|STRICT_SSL=)/;

interface LineLaw {
  /** The program with its subcommands. */
  readonly of: RegExp;
  /** All words behind the program. */
  readonly line: RegExp;
  readonly risk: CommandRisk;
}

const lineLaws: readonly LineLaw[] = [
  {
    of: /^(?:rm|rmdir|unlink|shred|srm|dd|wipefs|mkfs\S*|truncate|dropdb|dropuser|trash)$/,
    line: /^/,
    risk: "deletes",
  },
  { of: /^(?:kill|pkill|killall|fkill|kill-port|taskkill)$|^npx kill-port/, line: /^/, risk: "forces" },
  { of: /^fuser$/, line: /(?:^| )-\w*k/, risk: "forces" },
  {
    of: /^(?:find|fd|xargs)\b/,
    line: /(?:^| )(?:-delete|(?:\S*\/)?(?:rm|rmdir|unlink|shred))(?: |$)/,
    risk: "deletes",
  },
  { of: /^git (?:clean|filter-branch|filter-repo)\b/, line: /^/, risk: "deletes" },
  { of: /^git restore\b/, line: /^(?!.*(?:^| )--staged(?: |$)(?!.*--worktree))/, risk: "discards work" },
  { of: /^git checkout$/, line: /(?:^| )(?:--|\.)(?: |$)/, risk: "discards work" },
  {
    of: /^git (?:prune|(?:remote|worktree|submodule|notes|reflog|lfs)\b.*)/,
    line: /(?:^| )(?:rm|remove|delete|prune|deinit|expire)(?: |$)/,
    risk: "deletes",
  },
  { of: /^(?:ssh|scp|sftp|rsync)$/, line: /StrictHostKeyChecking[= ]no\b/, risk: "skips a check" },
  { of: /^ssh-keygen$/, line: /(?:^| )-R(?: |$)/, risk: "skips a check" },
  { of: /^git stash\b/, line: /(?:^| )(?:drop|clear)(?: |$)/, risk: "deletes" },
  { of: /^git push$/, line: /(?: )(?:\+\S|:\S)/, risk: "forces" },
  { of: /^git\b/, line: /(?:sslVerify|gpgsign|fsckObjects)[= ]false|hooksPath=/i, risk: "skips a check" },
  { of: /^git\b/, line: /(?:^| )(?:-X ?|-s |--strategy(?:-option)?[= ])(?:ours|theirs)\b/, risk: "discards work" },
  { of: /^(?:npm|pnpm|yarn) (?:config )?set\b/, line: /strict-ssl[= ]false|\bforce[= ]true/, risk: "skips a check" },
  {
    of: /^chmod$/,
    line: /(?:^| )(?:0?[0-7]?(?:[0-7]{2}[2367])|[ugoa]*[oa][ugoa]*\+\w*w\w*|\+\w*w\w*|[ugoa]*\+\w*s\w*)(?: |$)/,
    risk: "raises privileges",
  },
  {
    of: /^(?:chown|chgrp|setcap|setfacl|usermod|visudo|setenforce|xattr|spctl|csrutil|ufw|iptables)$/,
    line: /^/,
    risk: "raises privileges",
  },
  {
    of: /^(?:docker|podman|nerdctl)\b/,
    line: /(?:^| )(?:-u|--user)[= ](?:root|0)\b|--security-opt[= ]\S*unconfined/,
    risk: "raises privileges",
  },
  {
    of: /^(?:docker|podman|nerdctl) compose$|^(?:docker|podman)[ -]compose\b/,
    line: /\bdown\b.* (?:-v|--volumes)(?: |$)/,
    risk: "deletes",
  },
  { of: /^(?:mvnw?|\.\/mvnw)\b/, line: /(?:^| )-D(?:skip\w*|maven\.test\.skip)/i, risk: "skips a check" },
  { of: /^gradlew?\b/, line: /(?:^| )(?:-x|--exclude-task) /, risk: "skips a check" },
  {
    of: /^/,
    line: /\b(?:drop\s+(?:table|database|schema|index|view|column|user|role|collection)|truncate\s+table|delete\s+from)\b/i,
    risk: "deletes",
  },
  {
    of: /^(?!(?:git|grep|egrep|rg|cat|ls|head|tail|less|echo|printf|sed|awk|jq|find|fd|cd|man|which|touch|mkdir|code|python\d?|node|pytest|jest|vitest|npx jest|npx vitest|npx vitest run)\b)\S+/,
    line: /^(?:[^-\s]\S* ){0,2}?(?:[\w-]+:)*(?:rm|rb|rmi|remove|delete|del|destroy|drop|reset|prune|purge|wipe|erase|nuke|uninstall|truncate|flushall|flushdb|fresh|force-unlock|downgrade|rollback|terminate|revert|unpublish|yank|disable|(?:delete|remove|destroy|drop|purge)-[\w-]+)(?: |$)/,
    risk: "deletes",
  },
];

interface OptionLaw {
  /** The heads it is about; without it, every program. */
  readonly of?: RegExp;
  readonly option: RegExp;
  /** Options of the same form that are innocent. */
  readonly except?: RegExp;
  readonly risk: CommandRisk;
}

/** One letter means force only for these; `tar -f`, `make -f` and `docker build -f` take a file. */
const forcesWithF =
  /^(?:rm|mv|cp|ln|npm|pnpm|yarn|gem|brew|snap|umount|rmdir)\b|^git (?:push|checkout|switch|branch|tag|add|rm|mv|clean|fetch|pull|worktree|submodule|stash|rebase|update-index)\b|^(?:docker|podman|nerdctl) (?:rm|rmi|volume|network|container|image|system|builder|kill|swarm)\b|^(?:svn|hg)\b/;

const optionLaws: readonly OptionLaw[] = [
  {
    option: /^--force(?:[-=].*)?$/,
    except: /^--force-(?:colou?r|exclude|reinstall|rebuild|polling|sort)|=false$/,
    risk: "forces",
  },
  { option: /^--(?:overwrite(?:-.*)?|clobber|accept-data-loss|nuke|(?:yes-)?(?:i|really)-.+)$/, risk: "forces" },
  { of: forcesWithF, option: /^-[A-Za-z]*f[A-Za-z]*$/, risk: "forces" },
  { of: /^git branch\b/, option: /^-[A-Za-z]*[DMC]/, risk: "forces" },
  { of: /^git checkout\b/, option: /^-B$/, risk: "forces" },
  { of: /^git switch\b/, option: /^-C$/, risk: "forces" },
  { of: /^git tag\b/, option: /^-d$/, risk: "deletes" },
  { of: /^git (?:push|branch|remote)\b/, option: /^-d$/, risk: "deletes" },
  { option: /^--(?:delete(?:-.*)?|purge|rm-all|remove-source-files)$/, risk: "deletes" },
  { of: /^(?!git (?:fetch|pull|remote)\b)/, option: /^--prune(?:-.*)?$/, risk: "deletes" },
  { option: /^--(?:hard|discard(?:-.*)?|abort)$/, risk: "discards work" },
  { of: /^git (?:checkout|merge|restore)\b/, option: /^--(?:ours|theirs)$/, risk: "discards work" },
  {
    option:
      /^--(?:no-verify(?:-.*)?|insecure(?:-.*)?|no-check(?:-.*)?|no-gpg(?:-.*)?|nogpgcheck|no-sign(?:-.*|ature.*)?|no-validate|no-validation|no-sandbox|no-hooks|no-strict-ssl)$/,
    risk: "skips a check",
  },
  {
    option:
      /^--(?:skip(?:-.*)?|disable-.*(?:verif|check|hook|sandbox|security|ssl|tls|auth|validation).*|ignore-(?:platform-reqs?|engines|certificate-errors|ssl.*|checks?|errors))(?:=.*)?$/,
    risk: "skips a check",
  },
  {
    option:
      /^--(?:allow-(?:unrelated-histories|unauthenticated|untrusted|insecure.*|dirty|staged|root|downgrades?|all|no-vcs)|trusted-host|break-system-packages|legacy-peer-deps|auto-approve|yolo)(?:=.*)?$/,
    risk: "skips a check",
  },
  {
    option:
      /^--(?:strict-ssl|verify(?:-.*)?|ssl-verify|validate|gpg-check|check-certificate|lock)=(?:false|no|off|0|none)$/,
    risk: "skips a check",
  },
  { of: /^curl\b/, option: /^-[A-Za-z]*k[A-Za-z]*$/, risk: "skips a check" },
  { of: /^git (?:commit|cherry-pick|am)\b/, option: /^-[a-z]*n[a-z]*$/, except: /^-m/, risk: "skips a check" },
  {
    of: /^(?:terraform|tofu|terragrunt)\b/,
    option: /^--?(?:lock(?:=.*)?|auto-approve|force)$/,
    except: /=true$/,
    risk: "skips a check",
  },
  { of: /^uv pip\b/, option: /^--system$/, risk: "skips a check" },
  { of: /^(?:powershell|pwsh)\b/i, option: /^-(?:ExecutionPolicy|Force)$/i, risk: "skips a check" },
  { option: /^--(?:unsafe(?:-.*)?|dangerously-.*|privileged|cap-add.*)$/, risk: "raises privileges" },
  { of: /^deno\b/, option: /^-A$/, risk: "raises privileges" },
];
