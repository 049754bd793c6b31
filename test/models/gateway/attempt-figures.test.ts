import { describe, expect, it } from "vitest";
import { stores } from "../../stores.ts";
import { CLAUDE, GPT, requestTo, says, withGateway } from "./lab.ts";

const tools = [{ name: "run", description: "runs", input: { type: "object", required: ["command"] } }];
const usage = { in: 1_000, out: 50 };

describe.each(stores)("an attempt whose answer is damaged, on $name", (kind) => {
  it.each([
    ["its tool call is not JSON", GPT, { calls: [{ tool: "run", input: {}, raw: '{"command": ' }], usage }],
    ["its tool call lacks an input", CLAUDE, { calls: [{ tool: "run", input: {} }], usage }],
  ] as const)("costs what the provider reported: %s", (_, model, damaged) =>
    withGateway(
      kind,
      { claude: [damaged, { text: "well" }], gpt: [damaged, { text: "well" }] },
      async ({ gateway, db }) => {
        await gateway.complete(requestTo(model, "go", { chat: says("go", { tools }) }));
        const rows = await db.all("select failure, tokens_in, tokens_out from model_attempts order by number");
        expect(rows[0]).toEqual({ failure: "malformed", tokens_in: usage.in, tokens_out: usage.out });
      },
    ),
  );

  it("costs nothing if a web page came, because no model has read the prompt", () =>
    withGateway(
      kind,
      { claude: [{ text: "", fault: { kind: "wrong-type" } }, { text: "well" }] },
      async ({ gateway, db }) => {
        await gateway.complete(requestTo(CLAUDE));
        const rows = await db.all("select failure, cost_nanos from model_attempts order by number");
        expect(rows[0]).toEqual({ failure: "malformed", cost_nanos: 0 });
      },
    ));

  it("does not take longer because of the wait that follows it", () =>
    withGateway(
      kind,
      { claude: [{ error: { status: 500, type: "api_error", message: "no" } }, { text: "well" }] },
      async ({ gateway, db, clock }) => {
        for await (const event of gateway.stream(requestTo(CLAUDE))) {
          if (event.kind === "attempt") clock.advance(1_000);
          if (event.kind === "wait") clock.advance(60_000);
        }
        const rows = await db.all("select ms from model_attempts order by number");
        expect(rows.map((row) => row["ms"])).toEqual([1_000, 1_000]);
        const tally = await db.get("select latency_ms from route_tallies");
        expect(tally?.["latency_ms"]).toBe(2_000);
      },
    ));
});
