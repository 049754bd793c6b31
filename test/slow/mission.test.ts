import { expect, it } from "vitest";
import { measureMission } from "../../bench/mining-mission.ts";

it("an agent that was told keeps what works; what does nothing sinks, and what harms sleeps with the reason", async () => {
  const { rules, avoided } = await measureMission({ days: 60, silent: 20, seed: 7 });
  const against = (command: string) => rules.find((rule) => rule.text.includes(command));
  expect(avoided["npm in a pnpm project"]).toBeGreaterThan(0.5);
  expect(against("npm test")).toMatchObject({ status: "approved", verdict: "works" });
  expect(against("docker compose up")).toMatchObject({ level: "watch", verdict: "no effect" });
  const harmful = against("rake db:migrate");
  expect(harmful).toMatchObject({ status: "dormant", verdict: "harmful" });
  expect(harmful?.proven.at(-1)?.because).toMatch(/^harmful: mistakes went up/);
  expect(against("curl")).toBeUndefined();
}, 300_000);
