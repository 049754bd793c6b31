import { afterEach, beforeEach, expect, it } from "vitest";
import { newPlace, payload, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace({ OLDHAND_EMBEDDER: "none" });
});
afterEach(() => place.remove());

it("a hook with --now stores its event at that time, and at the machine's time if it is not one", async () => {
  const hook = (call: string, ...words: readonly string[]) =>
    place.run(["hook", "claude-code", ...words], { stdin: payload("PostToolUse", { tool_use_id: call }) });
  expect(await hook("toolu_1", "--now", "2031-04-05T06:07:08Z")).toMatchObject({ code: 0 });
  expect(await hook("toolu_2", "--now=2031-04-05T06:08:08Z")).toMatchObject({ code: 0 });
  expect(await hook("toolu_3", "--now", "soon")).toMatchObject({ code: 0 });
  const { sessions } = await place.json<{ readonly sessions: readonly { readonly id: string }[] }>(["sessions"]);
  const { events } = await place.json<{ readonly events: readonly { readonly at: string }[] }>([
    "sessions",
    "show",
    sessions[0]?.id ?? "",
  ]);
  const times = events.map(({ at }) => at.slice(0, 19));
  expect(times).toContain("2031-04-05T06:07:08");
  expect(times).toContain("2031-04-05T06:08:08");
  expect(times).toHaveLength(3);
});
