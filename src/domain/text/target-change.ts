import { isMisspelling } from "../../lib/nearest.ts";

/**
 * True if the second text acts on another target than the first. That something is there, and that the call worked, does
 * not show that an agent may go there: who finds no staging must not be sent to the customers. It asks what the words
 * resemble, because a list of targets is never complete:
 *
 * - it names production, and the first does not;
 * - the first names a stage before production, this machine or a sample, and it does not: whatever stands in that place is another target;
 * - it deploys, deletes, applies or the like, and has another word that is not the same one spelled right.
 */
export function changesTarget(after: string, before: string): boolean {
  const [now, then] = [after, before].map(partsOf);
  if (now === undefined || then === undefined) return false;
  if (now.some((part) => live.has(part)) && !then.some((part) => live.has(part))) return true;
  if (stages.some((stage) => then.some((part) => stage.has(part)) && !now.some((part) => stage.has(part)))) return true;
  return now.some((part) => acting.has(part) && then.includes(part)) && hasOtherWord(after, before);
}

/**
 * True if a script, target or task may be offered to an agent that asked for another one. A name that says that it reaches
 * others or destroys something is offered only as the same name spelled right: who misses `migrate:status` must not be
 * sent to `migrate:down`.
 */
export function mayOfferScript(name: string, wanted: string): boolean {
  const isReaching = partsOf(name).some((part) => reaching.test(part));
  return !isReaching || (isMisspelling(name, wanted) && !changesTarget(name, wanted));
}

const reaching =
  /^(?:deploy\w*|undeploy|apply|delete|destroy|drop|remove|rollout|rollback|revert|restart|scale|promote|publish|release|ship|push|seed|migrat\w+|reset|down|clean\w*|clear|purge|wipe|nuke|prune|flush|truncate|teardown|kill|uninstall|force|restore|upload|live|prod|prd|production|customers?|tenants?|public)$/;

const live: ReadonlySet<string> = new Set(["prod", "prd", "production", "live"]);

/** Names of one stage, of this machine, and of data that are not real. */
const stages: readonly ReadonlySet<string>[] = [
  new Set(["staging", "stage", "stg", "stag"]),
  new Set(["dev", "develop", "development"]),
  new Set(["qa"]),
  new Set(["uat"]),
  new Set(["sandbox"]),
  new Set(["preprod", "preview"]),
  new Set(["localhost"]),
  new Set(["sample", "samples", "demo", "dummy", "mock", "fixture", "fixtures", "synthetic", "subset", "anonymized"]),
];

const acting: ReadonlySet<string> = new Set(
  "deploy apply delete destroy drop remove rollout restart scale promote publish release seed migrate".split(" "),
);

function partsOf(text: string): readonly string[] {
  return text
    .replace(/\/dev\/\w+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** True if a word came in place of another one that is not nearly the same. Words that were only added are no targets. */
function hasOtherWord(after: string, before: string): boolean {
  // An option is no target; its value is.
  const [now, then] = [after, before].map((text) =>
    text.split(/\s+/).filter((word) => word !== "" && !/^-[^=]*$/.test(word)),
  );
  const gone = then?.filter((word) => now?.includes(word) !== true) ?? [];
  const added = now?.filter((word) => then?.includes(word) !== true) ?? [];
  return gone.length > 0 && added.some((word) => !gone.some((other) => isSameWord(word, other)));
}

/** The same word spelled right, or the program elsewhere: `bin/rails` for `rails`, `docker` of `docker-compose`. */
function isSameWord(word: string, other: string): boolean {
  const [a, b] = [word, other].map((one) => one.slice(one.lastIndexOf("/") + 1));
  return a === b || isMisspelling(a ?? "", b ?? "") || (b ?? "").split("-").includes(a ?? "");
}
