import { z } from "zod";
import type { Context } from "../context.ts";
import { type IdentityName, identityNames } from "../domain/identity/identity.ts";
import { OldhandError } from "../lib/errors.ts";
import { operation } from "../operation.ts";
import { syncIdentityFiles } from "../recall/identity-files.ts";
import { assertFits, syncMemoryFiles } from "../recall/memory-files.ts";
import { ADDRESS, FEWEST_RULES, MOST_RULES, onboarded, renamed, startingRule } from "../recall/onboarding.ts";
import { startingRules, template } from "../recall/templates.ts";
import { identityNoun } from "../store/identities.ts";
import { by, change, changeAll, everKnown, planned, underLock } from "../store/journal.ts";
import { remember } from "../store/remember.ts";
import { listRules, ruleNoun } from "../store/rules.ts";

const init = operation({
  name: "init",
  summary: "Sets up who the agent is: name, how to address you, and six to ten starting rules. Changes nothing twice.",
  effect: "write",
  // On the command line it asks: entrypoints/cli/init.ts.
  surfaces: ["http"],
  input: z.object({
    name: z.string().trim().min(1).max(80).optional().describe("what the agent is called"),
    address: z.string().trim().min(1).max(80).optional().describe("how it addresses you"),
    rules: z.array(z.string().trim().min(1).max(500)).optional().describe("six to ten sentences it should follow"),
  }),
  output: z.object({
    name: z.string().nullable(),
    address: z.string().nullable(),
    files: z.array(z.object({ name: z.string(), path: z.string(), made: z.boolean() })),
    rules: z.array(z.object({ id: z.string(), text: z.string(), made: z.boolean() })),
  }),
  run: async (world, input) => {
    await syncMemoryFiles(world);
    const there = new Map((await syncIdentityFiles(world)).map((file) => [file.name, file]));
    const before = await onboarded(world);
    const wanted = sentences(input.rules ?? (before.rules.length > 0 ? before.rules : startingRules().slice(0, 8)));
    if (input.rules !== undefined && (wanted.length < FEWEST_RULES || wanted.length > MOST_RULES))
      throw new OldhandError("usage", `${FEWEST_RULES} to ${MOST_RULES} starting rules, not ${wanted.length}`, {
        hint: "oldhand init --help",
      });
    // A file that was taken out of the mind on purpose stays out.
    const missing = identityNames.filter((name) => there.get(name)?.text === null && there.get(name)?.did !== "left");
    const rules = await underLock(world.db, async (db) => {
      const inside = { ...world, db };
      await makeFiles(inside, missing, input.name);
      if (input.address !== undefined) await keepAddress(inside, input.address);
      return makeRules(inside, wanted);
    });
    const user = (await syncMemoryFiles(world)).filter((file) => file.name === "USER.md" && file.entries.length > 0);
    const files = await syncIdentityFiles(world);
    const { name, address } = await onboarded(world);
    return {
      name,
      address,
      files: [
        ...files.map((file) => ({ name: file.name, path: file.path, made: missing.includes(file.name) })),
        ...user.map((file) => ({ name: file.name, path: file.path, made: file.written })),
      ],
      rules,
    };
  },
});

export const initOperations = [init] as const;

async function makeFiles(world: Context, missing: readonly IdentityName[], name: string | undefined): Promise<void> {
  const templates = { "SHIELD.md": "shield", "SOUL.md": "soul", "HARNESS.md": "harness" } as const;
  const fromTemplate = by(world, "init", "made from its template");
  await changeAll(
    world.db,
    missing.map((file) => {
      const text = template(templates[file], { name: name ?? DEFAULT_NAME });
      // Who made it in the meantime was first.
      return planned(identityNoun, file, fromTemplate, (there) => there ?? { id: file, text });
    }),
  );
  if (name === undefined || missing.includes("SOUL.md")) return;
  const called = by(world, "init", `called ${name}`);
  await change(
    world.db,
    { noun: identityNoun, id: "SOUL.md" },
    called,
    (soul) => soul && { ...soul, text: renamed(soul.text, name) },
  );
}

const DEFAULT_NAME = "Old hand";

async function keepAddress(world: Context, address: string): Promise<void> {
  const scope = { kind: "global" } as const;
  const wish = {
    text: template("user", { address }).trim(),
    key: ADDRESS,
    kind: "profile",
    scope,
    pinned: true,
  } as const;
  const because = { ...by(world, "init"), law: world.config.policy.memory };
  const made = await remember(world.db, { ...wish, origin: "owner", importance: 80, anyway: true }, because);
  await assertFits(world, made.memory);
}

/** Those that were ever there are not made again: a rule its owner retired or forgot stays so. */
async function makeRules(world: Context, wanted: readonly string[]) {
  const rules = wanted.map((text) => startingRule(text, world.clock.now()));
  const known = await everKnown(
    world.db,
    "rule",
    rules.map((rule) => rule.id),
  );
  const said = new Set((await listRules(world.db)).map((rule) => rule.text));
  const isNew = (rule: (typeof rules)[number]) => !known.has(rule.id) && !said.has(rule.text);
  await changeAll(
    world.db,
    rules.filter(isNew).map((rule) => planned(ruleNoun, rule.id, by(world, "init"), () => rule)),
  );
  return rules.map((rule) => ({ id: rule.id, text: rule.text, made: isNew(rule) }));
}

function sentences(texts: readonly string[]): readonly string[] {
  const byWords = new Map(
    texts.map((text) => text.replaceAll(/\s+/g, " ").trim()).map((text) => [text.toLowerCase(), text]),
  );
  return [...byWords.values()];
}
