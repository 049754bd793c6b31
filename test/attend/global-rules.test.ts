import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/lib/json.ts";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const unknown = "pytest: error: unrecognized arguments: -n auto";

/** Three projects in which the option is unknown, in two sessions each. */
async function failInThree(a: ObservedWorkspace): Promise<readonly ObservedWorkspace[]> {
  const all = [a, a.project("b"), a.project("c")];
  for (const one of all)
    for (let session = 0; session < 2; session++) {
      await one.session([["pytest -n auto", unknown, 4], ["pytest -n auto tests", unknown, 4], ["pytest"]]);
      await one.mine();
    }
  return all;
}

describe.each(stores)("a rule that is valid everywhere, on $name", (kind) => {
  it("speaks everywhere only until such a call worked somewhere; then where it failed", () =>
    inWorkspace(kind, async (a) => {
      const [, b] = await failInThree(a);
      const other = a.project("d");
      expect(await a.scopedRules()).toEqual([expect.stringContaining("everywhere: ")]);
      expect(await other.before("pytest -n auto")).toContain("`-n`");
      expect(await other.start()).toContain("`-n`");
      await a.project("e").session([["pytest -n auto"]]);
      await a.mine();
      expect(await other.before("pytest -n auto")).toBe("");
      expect(await other.start()).not.toContain("`-n`");
      expect(await b?.before("pytest -n auto")).toContain("`-n`");
      expect(await b?.start()).toContain("`-n`");
    }));

  it("has one count, in its sentence, its evidence, its backtest and its level", () =>
    inWorkspace(kind, async (a) => {
      const [, b, c] = await failInThree(a);
      await a.mine();
      await a.project("d").session([["pytest -n auto"], ["pytest -n auto tests"]]);
      await a.mine();
      await a.session([["uv add --dev pytest-xdist"], ["pytest -n auto"]]);
      await a.session([["pytest -n auto tests"]]);
      await a.mine();
      const rules = (await a.rules()).filter(({ status, text }) => status === "candidate" && text.includes("`-n`"));
      for (const rule of rules) {
        const [, failed, fired] = /\(failed (\d+) of (\d+)\)/.exec(rule.text) ?? [];
        const backtest: unknown = JSON.parse(await a.ask("rules backtest", { id: rule.id }));
        const of = isRecord(backtest) ? backtest : {};
        expect([rule.text, of["hits"], of["fired"]]).toEqual([rule.text, Number(failed), Number(fired)]);
        expect([rule.text, rule.evidence.observations]).toEqual([rule.text, Number(failed)]);
        const ceiling = isRecord(of["ceiling"]) ? of["ceiling"]["level"] : null;
        expect([rule.text, rule.level]).toEqual([rule.text, ceiling]);
      }
      expect(await b?.before("pytest -n auto")).toContain("`-n`");
      expect(await c?.before("pytest -n auto")).toContain("`-n`");
      expect(await a.before("pytest -n auto")).toBe("");
    }));

  it("is not said to be shown where it is silent or merged, in a report or a list", () =>
    inWorkspace(kind, async (a) => {
      await failInThree(a);
      for (const one of await a.rules()) {
        const shown = one.status === "merged" ? "agents are not shown it now" : "agents see it";
        const line = (await a.print("report", {})).split("\n").find((text) => text.includes(one.id));
        if (line !== undefined) expect(line).toContain(shown);
      }
      const b = a.project("only");
      for (let session = 0; session < 4; session++) await b.session([["tsk --fast", "error: unknown option '--fast'"]]);
      await a.mine();
      await b.session([["tsk --fast"]]);
      const rule = (await a.rules()).find(({ text }) => text.includes("--fast"));
      expect(rule?.level).toBe("nudge");
      const of = (text: string) => text.split("\n").find((line) => line.includes(rule?.id ?? "none"));
      expect(of(await a.print("report", {}))).toContain("agents are not shown it now");
      expect(of(await a.print("rules list", {}))).toContain("silent now");
    }));
});
