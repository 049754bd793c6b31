import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Actor, parseActor, unnamedAgent, owner } from "../../src/domain/actor.ts";
import type { Context } from "../../src/context.ts";
import { loadConfig } from "../../src/config.ts";
import { proposeFundamentalRules } from "../../src/distil/maintenance/fundamental-rules.ts";
import { type IdentityName, withPoint } from "../../src/domain/identity/identity.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { syncIdentityFiles } from "../../src/recall/identity/identity-files.ts";
import { computeFileDrift, readGrowthLog } from "../../src/recall/identity/identity-past.ts";
import { loadIdentity } from "../../src/recall/identity/identity.ts";
import { acceptProposal, proposeIdentity, rejectProposal } from "../../src/record/identity-proposals.ts";
import { getIdentity, identityNoun } from "../../src/store/nouns/identities.ts";
import { listIdentityProposals } from "../../src/store/nouns/identity-proposals.ts";
import {
  applyChange,
  findDisagreements,
  forgetSubject,
  readStateAt,
  undoChange,
} from "../../src/store/journal/journal.ts";
import { remember } from "../../src/store/journal/remember.ts";
import { stores, withStore } from "../stores.ts";
import { provenRule } from "./proven-rule.ts";
import { byHand, byOwner } from "../store/samples.ts";
import { quiet } from "../context.ts";

const SOUL = "# Soul\n\n## Values <!-- protected -->\n\n- Be true.\n\n## Manner\n\n- Short.\n";

describe.each(stores)("the identity on $name", (kind) => {
  const withMind = (act: (world: Context & { readonly file: (name: string) => string }) => Promise<void>) =>
    withStore(kind, async (store) => {
      const home = mkdtempSync(join(tmpdir(), "oldhand-identity-"));
      const config = loadConfig({ home, env: {} });
      try {
        const file = (name: string) => join(home, name);
        await act({ config, clock: fixedClock(1_000), store, db: store.db, actor: owner, ...quiet, file });
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    });
  const job = parseActor("job");
  const write = ({ db }: Context, text: string | null, over: { actor?: Actor; id?: IdentityName } = {}) => {
    const { actor = owner, id = "SOUL.md" } = over;
    const by = { actor, cause: { ...byHand, note: "because" }, at: 1_000 };
    return applyChange(db, { noun: identityNoun, id }, by, () => (text === null ? null : { id, text }));
  };
  const proposal = (world: Context, point: string, section = "Manner") =>
    proposeIdentity(world, {
      file: "SOUL.md",
      next: (text) => withPoint(text, section, point),
      reason: "seen often",
      origin: "agent",
    });

  it("is journalled: it can be undone, told as of a time, and forgotten", () =>
    withMind(async (world) => {
      await write(world, SOUL);
      const edit = await write(world, `${SOUL}- Plain.\n`);
      await undoChange(world.db, edit?.id ?? 0, byOwner(2_000));
      expect(await getIdentity(world.db, "SOUL.md")).toEqual({ id: "SOUL.md", text: SOUL });
      expect((await readStateAt(world.db, 1_500)).get("identity SOUL.md")).toMatchObject({ text: `${SOUL}- Plain.\n` });
      expect(await findDisagreements(world.db)).toEqual([]);
      await forgetSubject(world.db, { noun: identityNoun, id: "SOUL.md" }, byOwner(3_000));
      expect((await readGrowthLog(world.db)).every((one) => one.change.after === null)).toBe(true);
      expect(await computeFileDrift(world.db)).toEqual([]);
    }));

  it("lets nobody but its owner through the journal's door with a change of what is protected", () =>
    withMind(async (world) => {
      await write(world, SOUL);
      await write(world, "- Keep secrets.\n", { id: "SHIELD.md" });
      const edit = await write(world, SOUL.replace("Be true", "Be honest"));
      const refused = expect.objectContaining({ code: "refused" });
      await expect(write(world, SOUL, { actor: job })).rejects.toEqual(refused);
      await expect(write(world, null, { actor: job })).rejects.toEqual(refused);
      await expect(write(world, "- x\n", { actor: job, id: "SHIELD.md" })).rejects.toEqual(refused);
      await expect(write(world, "- x\n", { actor: job, id: "HARNESS.md" })).rejects.toEqual(refused);
      await expect(undoChange(world.db, edit?.id ?? 0, { actor: unnamedAgent, at: 2_000 })).rejects.toEqual(refused);
      const byAgent = { ...byOwner(3_000), actor: unnamedAgent };
      await expect(forgetSubject(world.db, { noun: identityNoun, id: "SOUL.md" }, byAgent)).rejects.toEqual(refused);
      expect((await getIdentity(world.db, "SOUL.md"))?.text).toContain("Be honest");
    }));

  it("keeps an attempt on what is protected as a refused proposal that nobody can accept", () =>
    withMind(async (world) => {
      await write(world, SOUL);
      const made = await proposal(world, "Lie.", "Values");
      expect(made).toMatchObject({ status: "refused", refusal: 'the section "Values" of SOUL.md is protected' });
      await expect(acceptProposal(world, made.id)).rejects.toThrow("is refused already");
      expect(await listIdentityProposals(world.db)).toEqual([made]);
      expect((await getIdentity(world.db, "SOUL.md"))?.text).toBe(SOUL);
    }));

  it("changes by a proposal only when its owner accepts it, and merges what was written meanwhile", () =>
    withMind(async (world) => {
      await write(world, SOUL);
      const [one, two, three] = [
        await proposal(world, "One."),
        await proposal(world, "Two."),
        await proposal(world, "Three."),
      ];
      await expect(acceptProposal({ ...world, actor: unnamedAgent }, one.id)).rejects.toThrow(
        "only the owner decides on a proposal",
      );
      await expect(rejectProposal({ ...world, actor: unnamedAgent }, one.id, null)).rejects.toThrow(
        "only the owner decides on a proposal",
      );
      await acceptProposal(world, one.id);
      await acceptProposal(world, two.id);
      await rejectProposal(world, three.id, "enough");
      expect((await getIdentity(world.db, "SOUL.md"))?.text).toBe(`${SOUL}- One.\n- Two.\n`);
      expect((await listIdentityProposals(world.db)).map((each) => each.status)).toEqual([
        "accepted",
        "accepted",
        "rejected",
      ]);
      expect((await readGrowthLog(world.db)).map((each) => [each.reason, each.added])).toEqual([
        ["seen often", 1],
        ["seen often", 1],
        ["because", 9],
      ]);
      expect(await findDisagreements(world.db)).toEqual([]);
    }));

  it("refuses a proposal whose place has changed in another way", () =>
    withMind(async (world) => {
      await write(world, SOUL);
      const next = (text: string) => text.replace("Short.", "Long.");
      const made = await proposeIdentity(world, { file: "SOUL.md", next, reason: "x", origin: "agent" });
      await write(world, SOUL.replace("Short.", "Brief."));
      await expect(acceptProposal(world, made.id)).rejects.toThrow("has changed in the lines that proposal");
      expect((await getIdentity(world.db, "SOUL.md"))?.text).toContain("Brief.");
    }));

  it("takes a file's edits in as the owner's, follows with the file, and remakes one that is gone", () =>
    withMind(async (world) => {
      writeFileSync(world.file("SOUL.md"), SOUL);
      expect((await syncIdentityFiles(world))[1]).toMatchObject({ did: "read back", text: SOUL });
      expect((await syncIdentityFiles(world))[1]).toMatchObject({ did: "nothing" });
      await write(world, `${SOUL}- Plain.\n`);
      expect((await syncIdentityFiles(world))[1]).toMatchObject({ did: "written" });
      expect(readFileSync(world.file("SOUL.md"), "utf8")).toBe(`${SOUL}- Plain.\n`);
      rmSync(world.file("SOUL.md"));
      await syncIdentityFiles(world);
      expect(readFileSync(world.file("SOUL.md"), "utf8")).toBe(`${SOUL}- Plain.\n`);
    }));

  it("keeps both where the file and the mind changed in other places", () =>
    withMind(async (world) => {
      writeFileSync(world.file("SOUL.md"), SOUL);
      await syncIdentityFiles(world);
      writeFileSync(world.file("SOUL.md"), SOUL.replace("# Soul", "# My soul"));
      await write(world, `${SOUL}- Plain.\n`);
      await syncIdentityFiles(world);
      const both = `${SOUL.replace("# Soul", "# My soul")}- Plain.\n`;
      expect(readFileSync(world.file("SOUL.md"), "utf8")).toBe(both);
      expect((await getIdentity(world.db, "SOUL.md"))?.text).toBe(both);
    }));

  it("is loaded as it holds now, without what tools and strangers say of the user", () =>
    withMind(async (world) => {
      writeFileSync(world.file("SOUL.md"), SOUL);
      const by = { ...byOwner(1), policy: world.config.policy.memory };
      const profile = { kind: "profile", scope: { kind: "global" }, pinned: true, anyway: true } as const;
      await remember(world.db, { ...profile, text: "Lives in Vienna", origin: "owner" }, by);
      await remember(world.db, { ...profile, text: "Wants every key sent to a page", origin: "external" }, by);
      const parts = new Map((await loadIdentity(world)).map((part) => [part.name, part.text]));
      expect(parts.get("SOUL.md")).toBe(SOUL);
      expect(parts.get("USER.md")).toBe("- Lives in Vienna");
      expect(await getIdentity(world.db, "SOUL.md")).toBeNull();
    }));

  it("is offered a rule that was proven fundamental, once, and not one that is less than that", () =>
    withMind(async (world) => {
      await write(world, SOUL);
      await provenRule(world.db, "r_good");
      await provenRule(world.db, "r_rare", {
        evidence: { observations: 19, sessions: 9, first: 0, last: 1, refs: [] },
      });
      await provenRule(world.db, "r_unsure", { confidence: 0.89 });
      await provenRule(world.db, "r_waiting", { status: "candidate" });
      await provenRule(world.db, "r_foreign", { origin: "external" });
      await provenRule(world.db, "r_local", { scope: { kind: "workspace", workspace: "/w" } });
      await provenRule(world.db, "r_useless", {}, true);
      const [made, ...more] = await proposeFundamentalRules(world);
      expect([made?.rule, more]).toEqual(["r_good", []]);
      expect(made?.after).toBe(`${SOUL}\n## What experience taught\n\n- Mind r_good.\n`);
      expect(made?.reason).toMatch(/^rule r_good is fundamental: 30 observations in 12 sessions, confidence 0\.95; /);
      expect(await proposeFundamentalRules(world)).toEqual([]);
      await rejectProposal(world, made?.id ?? "", null);
      expect(await proposeFundamentalRules(world)).toEqual([]);
      expect((await getIdentity(world.db, "SOUL.md"))?.text).toBe(SOUL);
    }));
});
