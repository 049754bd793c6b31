import { describe, expect, it } from "vitest";
import type { Approval } from "../../src/domain/approval/approval.ts";
import { approveRule } from "../../src/domain/rule/decisions.ts";
import { invoke } from "../../src/invoke.ts";
import { operationNamed } from "../../src/operations.ts";
import { decideRule } from "../../src/record/decide-rule.ts";
import { makeProvenance } from "../../src/store/journal/journal.ts";
import { listRules } from "../../src/store/nouns/rules.ts";
import { stores } from "../stores.ts";
import { allowAll } from "./lab/allow-all.ts";
import { type ChatLab, endOf, hear, textsOf, withChat } from "./lab/chat-lab.ts";
import { kilnFiles as files, MISTAKE, newScript, plantMistake } from "./lab/kiln.ts";

const settings = { distil: { holdOut: false } };

function op(lab: ChatLab, name: Parameters<typeof operationNamed>[0], input: object) {
  return invoke(lab.mind, operationNamed(name), input, "");
}

describe.each(stores)("oldhand's own agent is a host ($name)", (kind) => {
  it("its sessions are listed, shown, replayed, searched and reported like any other", () =>
    withChat(kind, { script: newScript(3, []), files, settings }, async (lab) => {
      await plantMistake(lab, 3);
      const listed = JSON.stringify(await op(lab, "sessions list", {}));
      expect(listed).toContain('"host":"oldhand"');
      expect(listed).toContain("fire cup 2");
      const found = JSON.stringify(await op(lab, "sessions search", { query: "plaid" }));
      const [id = ""] = /chat_\w+/.exec(found) ?? [];
      const shown = JSON.stringify(await op(lab, "sessions show", { id }));
      expect(shown).toContain("bin/kiln --plaid cup");
      const replayed = JSON.stringify(await op(lab, "sessions replay", { id }));
      expect(replayed).toContain("Fired.");
      expect(JSON.stringify(await op(lab, "report", {}))).toContain("unknown option");
    }));

  it("is reminded to save with a tool that it has, not with commands that it may not run", () =>
    withChat(kind, { script: () => ({ text: "Yes." }), settings: { recall: { remindAfter: 2 } } }, async (lab) => {
      const session = await lab.open();
      for (const text of ["one", "two", "three"]) await hear(session.send(text));
      await session.close();
      const told = textsOf(lab.sent(-1)).join("\n");
      expect(told).toContain("save that with your tool `remember`");
      expect(told).not.toContain("oldhand mistake");
    }));

  it(
    "equal calls of one answer are held together, however long that takes; a repeat in the next answer runs, however quick",
    () =>
      withChat(
        kind,
        {
          script: newScript(10, [
            { commands: [MISTAKE, "bin/kiln --bisque cup", MISTAKE] },
            { command: MISTAKE },
            { text: "I see." },
          ]),
          files,
          settings,
        },
        async (lab) => {
          await plantMistake(lab, 10);
          const id = (await listRules(lab.mind.db)).find((one) => one.matcher !== null)?.id ?? "";
          await decideRule(lab.mind, id, makeProvenance(lab.mind, "review", ""), (one) => approveRule(one, "nudge"));
          const session = await lab.open();
          const ran: string[] = [];
          for await (const event of session.send("fire cup 11")) {
            if (event.kind === "tool-end") ran.push(event.closed ?? "ran");
            // The call between the two equal ones takes its time.
            if (event.kind === "tool-start") lab.clock.advance(5_000);
          }
          expect(ran).toEqual(["refused", "ran", "refused", "ran"]);
          await session.close();
        },
      ),
    300_000,
  );

  it(
    "a repeated mistake becomes a rule; the next time it is held, then denied at that level",
    () =>
      withChat(
        kind,
        {
          script: newScript(10, [
            { command: MISTAKE },
            { command: MISTAKE },
            { text: "I see." },
            { command: MISTAKE },
            { command: MISTAKE },
            { text: "I see." },
          ]),
          files,
          settings,
        },
        async (lab) => {
          await plantMistake(lab, 10);
          const rule = (await listRules(lab.mind.db)).find((one) => one.matcher !== null);
          expect(rule?.text).toContain("--plaid");
          const id = rule?.id ?? "";
          await decideRule(lab.mind, id, makeProvenance(lab.mind, "review", ""), (one) => approveRule(one, "nudge"));

          const held = await lab.open();
          const before = lab.model.requests.length;
          const events = await hear(held.send("fire cup 11"));
          const ends = events.flatMap((event) => (event.kind === "tool-end" ? [event] : []));
          // Held once with the rule as the reason; the repeat passes and fails.
          expect(ends.map(({ ok }) => ok)).toEqual([false, false]);
          expect(ends[0]?.text).toContain("--plaid");
          expect(ends[0]?.text).not.toContain("unknown option '--plaid'\n");
          expect(events.filter((event) => event.kind === "tool-start")).toHaveLength(1);
          expect(textsOf(lab.sent(before + 1)).at(-1)).toContain(id);
          await held.close();

          await decideRule(lab.mind, id, makeProvenance(lab.mind, "review", ""), (one) => approveRule(one, "deny"));
          const denied = await lab.open();
          const second = await hear(denied.send("fire cup 12"));
          expect(second.filter((event) => event.kind === "tool-start")).toEqual([]);
          expect(second.filter((event) => event.kind === "tool-end")).toHaveLength(2);
          const entries = denied.entries().flatMap((one) => (one.kind === "tool" ? [one.closed] : []));
          expect(entries).toEqual(["refused", "refused"]);
          await denied.close();
          const counted = await lab.mind.db.all<{ delivery: string }>(
            "select delivery from shown where kind = 'rule' and moment = 'before-call' and subject = ? order by id",
            [id],
          );
          expect(counted.map(({ delivery }) => delivery).slice(-3)).toEqual(["hold", "deny", "deny"]);
        },
      ),
    300_000,
  );

  it("the person reads in the next chat that a rule was learned, once", () =>
    withChat(kind, { script: newScript(3, []), files, settings }, async (lab) => {
      await plantMistake(lab, 3);
      const notices = async () => {
        const session = await lab.open({ hasPerson: true });
        const events = await hear(session.send("hello"));
        await session.close();
        return events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
      };
      expect((await notices()).join()).toContain("oldhand learned 1 rule: ");
      expect((await notices()).join()).not.toContain("learned");
    }));

  it("a rule that asks becomes an approval with its reason, and a refusal without a person", () => {
    const asked: string[] = [];
    const approval = { id: "ap_1", status: "waiting", reason: "" } as Approval;
    const parts = {
      approvals: {
        ...allowAll,
        decideCall: async ({ because }: { because?: string | undefined }) => {
          if (because === undefined) return { kind: "run", approval: null } as const;
          asked.push(because);
          return { kind: "ask", approval } as const;
        },
        awaitApproval: async () => ({ ...approval, status: "rejected" }) as const,
      },
    };
    return withChat(
      kind,
      {
        script: newScript(0, [{ command: "git push --force" }, { text: "Fine." }, { command: "git push --force" }]),
        settings,
        parts,
      },
      async (lab) => {
        await op(lab, "learn", { text: "Never force-push.", command: "git push --force", level: "ask" });
        const session = await lab.open({ hasPerson: true });
        const events = await hear(session.send("push it"));
        expect(asked).toHaveLength(1);
        expect(asked[0]).toContain("Never force-push.");
        expect(events.map((event) => event.kind)).toContain("approval");
        expect(textsOf(lab.sent(1)).join()).toContain("The person said no to this call");
        await session.close();
        const alone = await lab.open({ hasPerson: false });
        const second = await hear(alone.send("push it"));
        expect(asked).toHaveLength(1);
        expect(second.filter((event) => event.kind === "tool-start")).toEqual([]);
        expect(endOf(second).reason).toBe("done");
        await alone.close();
      },
    );
  });

  it("stores and judges nothing where oldhand is off", () =>
    withChat(kind, { script: [{ text: "hi" }], settings: { off: true } }, async ({ open, mind }) => {
      const session = await open();
      expect(endOf(await hear(session.send("hello"))).reason).toBe("done");
      await session.close();
      expect(await mind.db.all("select id from events")).toEqual([]);
    }));
});
