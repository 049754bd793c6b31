import { z } from "zod";
import type { Context } from "../context.ts";
import { type IdentityName, identityNames } from "../domain/identity/identity.ts";
import { OldhandError } from "../lib/errors.ts";
import { defineOperation } from "../operation.ts";
import { syncIdentityFiles } from "../recall/identity/identity-files.ts";
import { assertFitsFile, syncMemoryFiles } from "../recall/identity/memory-files.ts";
import {
  ADDRESS_KEY,
  FEWEST_RULES,
  MOST_RULES,
  readOnboarding,
  replaceAgentName,
  newStartingRule,
} from "../recall/onboarding.ts";
import { readStartingRules, fillTemplate } from "../recall/templates.ts";
import { identityNoun } from "../store/nouns/identities.ts";
import {
  makeProvenance,
  applyChange,
  applyAllChanges,
  filterEverKnown,
  planChange,
  withJournalLock,
} from "../store/journal/journal.ts";
import { remember } from "../store/journal/remember.ts";
import { listRules, ruleNoun } from "../store/nouns/rules.ts";

const init = defineOperation({
  name: "init",
  on: "identity",
  label: "Set up the identity",
  summary:
    "Sets up the identity: the agent's name, how the agent addresses you, and six to ten starting rules. Repeating it changes nothing.",
  effect: "write",
  // The command line asks interactively: entrypoints/cli/init.ts.
  surfaces: ["http"],
  input: z.object({
    name: z.string().trim().min(1).max(80).optional().describe("the agent's name"),
    address: z.string().trim().min(1).max(80).optional().describe("how the agent addresses you"),
    rules: z
      .array(z.string().trim().min(1).max(500))
      .optional()
      .describe("six to ten starting rules, one sentence each"),
  }),
  output: z.object({
    name: z.string().nullable(),
    address: z.string().nullable(),
    files: z.array(z.object({ name: z.string(), path: z.string(), made: z.boolean() })),
    rules: z.array(z.object({ id: z.string(), text: z.string(), made: z.boolean() })),
  }),
  run: async (ctx, input) => {
    await syncMemoryFiles(ctx);
    const there = new Map((await syncIdentityFiles(ctx)).map((file) => [file.name, file]));
    const before = await readOnboarding(ctx);
    const wanted = sentences(input.rules ?? (before.rules.length > 0 ? before.rules : readStartingRules().slice(0, 8)));
    if (input.rules !== undefined && (wanted.length < FEWEST_RULES || wanted.length > MOST_RULES))
      throw new OldhandError("usage", `${FEWEST_RULES} to ${MOST_RULES} starting rules, not ${wanted.length}`, {
        hint: "oldhand init --help",
      });
    // A file that was removed from the mind on purpose is not created again.
    const missing = identityNames.filter((name) => there.get(name)?.text === null && there.get(name)?.did !== "left");
    const rules = await withJournalLock(ctx.db, async (db) => {
      const inside = { ...ctx, db };
      await makeFiles(inside, missing, input.name);
      if (input.address !== undefined) await storeAddress(inside, input.address);
      return makeRules(inside, wanted);
    });
    const user = (await syncMemoryFiles(ctx)).filter((file) => file.name === "USER.md" && file.entries.length > 0);
    const files = await syncIdentityFiles(ctx);
    const { name, address } = await readOnboarding(ctx);
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

async function makeFiles(ctx: Context, missing: readonly IdentityName[], name: string | undefined): Promise<void> {
  const templates = { "SHIELD.md": "shield", "SOUL.md": "soul", "HARNESS.md": "harness" } as const;
  const fromTemplate = makeProvenance(ctx, "init", "made from its template");
  await applyAllChanges(
    ctx.db,
    missing.map((file) => {
      const text = fillTemplate(templates[file], { name: name ?? DEFAULT_NAME });
      // If another process created it in the meantime, that one stays.
      return planChange(identityNoun, file, fromTemplate, (there) => there ?? { id: file, text });
    }),
  );
  if (name === undefined || missing.includes("SOUL.md")) return;
  const called = makeProvenance(ctx, "init", `called ${name}`);
  await applyChange(
    ctx.db,
    { noun: identityNoun, id: "SOUL.md" },
    called,
    (soul) => soul && { ...soul, text: replaceAgentName(soul.text, name) },
  );
}

const DEFAULT_NAME = "Old hand";

async function storeAddress(ctx: Context, address: string): Promise<void> {
  const scope = { kind: "global" } as const;
  const newMemory = {
    text: fillTemplate("user", { address }).trim(),
    key: ADDRESS_KEY,
    kind: "profile",
    scope,
    pinned: true,
  } as const;
  const because = { ...makeProvenance(ctx, "init"), policy: ctx.config.policy.memory };
  const made = await remember(ctx.db, { ...newMemory, origin: "owner", importance: 80, anyway: true }, because);
  await assertFitsFile(ctx, made.memory);
}

/** Rules that ever existed are not created again: a retired or forgotten rule stays so. */
async function makeRules(ctx: Context, wanted: readonly string[]) {
  const rules = wanted.map((text) => newStartingRule(text, ctx.clock.now()));
  const known = await filterEverKnown(
    ctx.db,
    "rule",
    rules.map((rule) => rule.id),
  );
  const texts = new Set((await listRules(ctx.db)).map((rule) => rule.text));
  const isNew = (rule: (typeof rules)[number]) => !known.has(rule.id) && !texts.has(rule.text);
  await applyAllChanges(
    ctx.db,
    rules.filter(isNew).map((rule) => planChange(ruleNoun, rule.id, makeProvenance(ctx, "init"), () => rule)),
  );
  return rules.map((rule) => ({ id: rule.id, text: rule.text, made: isNew(rule) }));
}

function sentences(texts: readonly string[]): readonly string[] {
  const byWords = new Map(
    texts.map((text) => text.replaceAll(/\s+/g, " ").trim()).map((text) => [text.toLowerCase(), text]),
  );
  return [...byWords.values()];
}
