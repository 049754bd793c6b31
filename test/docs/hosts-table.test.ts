import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { deliveryForAsk, type CallControl, type Delivery } from "../../src/domain/rule/delivery/delivery.ts";
import { hosts } from "../../src/observe/hosts/list.ts";

it("docs/hosts.md tells of each host with hooks what its folder declares", async () => {
  const rows: string[] = [];
  for (const host of hosts) {
    const { calls, contextLimits } = await host.protocol();
    const hasHooks = Object.keys(contextLimits).length > 0 || calls.refusal !== "nothing";
    if (hasHooks) rows.push(rowOf(`${host.title}${host.verified ? "" : " (unverified)"}`, calls));
  }
  const page = readFileSync(new URL("../../docs/hosts.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("\n## What a rule does to a call\n");
  const [, ...tableRows] = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  expect(tableRows.toSorted()).toEqual(rows.toSorted());
});

function rowOf(title: string, calls: CallControl): string {
  const stops = calls.refusal === "the call";
  return `| ${[
    title,
    calls.note === "never" ? "not heard" : calls.note,
    calls.holds ? "stops the call once" : "–",
    describeAsk(deliveryForAsk(calls, "owner")),
    describeAsk(deliveryForAsk(calls, "tool")),
    stops ? "stops the call" : calls.refusal === "the run" ? "only speaks: a refusal would end the run" : "not heard",
    stops ? "one call passes" : "–",
  ].join(" | ")} |`;
}

function describeAsk(delivery: Delivery): string {
  return { note: "only speaks", hold: "holds", ask: "asks", deny: "denies" }[delivery];
}
