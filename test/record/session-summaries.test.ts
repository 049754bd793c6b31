import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isClosingPrompt, chooseReminder } from "../../src/domain/advice/reminder.ts";
import { scoreFit, weighWords } from "../../src/domain/text/prompt-fit.ts";
import { estimateContextWindow } from "../../src/domain/advice/context-window.ts";
import { newPlace, type Place } from "../program.ts";

describe("what is left of a session, and what the next one asks", () => {
  let place: Place;

  beforeAll(async () => {
    place = newPlace();
    const sendHook = async (hook_event_name: string, fields: object) => {
      const stdin = JSON.stringify({ session_id: "one", cwd: place.user, hook_event_name, ...fields });
      await place.run(["hook", "claude-code"], { stdin });
    };
    await sendHook("UserPromptSubmit", { prompt: "Add coupons to the checkout. We decided to round down." });
    const edit = { tool_name: "Edit", tool_input: { file_path: "/w/shop/coupon.ts" } };
    await sendHook("PostToolUse", { ...edit, tool_use_id: "t1", tool_response: "done" });
    const ship = { tool_name: "Bash", tool_input: { command: "make ship" } };
    await sendHook("PostToolUseFailure", {
      ...ship,
      tool_use_id: "t2",
      error: "Exit code 2\nmake: *** No rule to make target 'ship'.  Stop.",
    });
    await sendHook("UserPromptSubmit", { prompt: "Go on with the coupons" });
    await sendHook("SessionEnd", { reason: "other" });
  });
  afterAll(() => place.remove());

  it("is what was asked, changed, decided and left open, in its own words", async () => {
    expect(await place.json(["sessions", "summary", "one"])).toMatchObject({
      session: "one",
      text: expect.stringMatching(
        /^Asked: Add coupons to the checkout\..*Last asked: Go on with the coupons\. 2 prompts, .*Changed: coupon\.ts\.$/,
      ),
      topics: expect.arrayContaining(["coupons", "make ship"]),
      decisions: ["We decided to round down."],
      threads: [expect.stringMatching(/^failed: make ship: make: /), "not finished: Go on with the coupons"],
    });
  });

  it("is in the log of its day", async () => {
    const log = await place.json<{ sessions: unknown[] }>(["daily"]);
    expect(log).toMatchObject({ decisions: ["We decided to round down."] });
    expect(log.sessions).toHaveLength(1);
    expect(await place.run(["daily", "2001-01-01"])).toMatchObject({ code: 1, stdout: "Nothing on 2001-01-01.\n" });
  });

  it("is in the log of its day also while it is at work, and a day that is none has none", async () => {
    const prompt = { hook_event_name: "UserPromptSubmit", session_id: "now", cwd: "/w/shop", prompt: "Paint the door" };
    await place.run(["hook", "claude-code"], { stdin: JSON.stringify(prompt) });
    const { sessions } = await place.json<{ sessions: { session: string }[] }>(["daily"]);
    expect(sessions.map((one) => one.session)).toEqual(["one", "now"]);
    expect((await place.run(["daily", "2026-99-99"])).stdout).toBe("Nothing on 2026-99-99.\n");
  });

  it("advice tells the rules and memories that fit, numbered, to a session only once, and nothing where nothing fits", async () => {
    await place.run(["learn", "Never ship on a Friday.", "--level", "nudge"]);
    await place.run(["remember", "Ship with the release script."]);
    const ask = (prompt: string, code = 0) => place.json(["advice", prompt, "--session", "two"], { code });
    expect(await ask("ship the release on friday")).toMatchObject({
      text: expect.stringMatching(/1\. \[nudge\] Never ship on a Friday\.[^]*\| Ship with the release script\./),
      rules: [{ level: "nudge", text: "Never ship on a Friday." }],
    });
    expect(await ask("ship the release on friday", 1)).toMatchObject({ text: "", rules: [], memories: [] });
    expect(await place.run(["advice", "what is the capital of France?"])).toMatchObject({
      code: 1,
      stdout: "Nothing fits.\n",
    });
  });
});

describe("words that fit", () => {
  const fit = (prompt: string, text: string) => scoreFit(weighWords(prompt), weighWords(text)) > 0;

  it.each([
    ["deploy it", "Deploys go through make ship."],
    ["push to origin main with git", "Do not run it is: `git psuh origin main` failed 6 of 6 times."],
    ["why does parse_config crash?", "parse_config wants an absolute path."],
  ])("%s: %s", (prompt, text) => expect(fit(prompt, text)).toBe(true));

  it.each([
    ["fix the failing test in the parser", "The test database listens on port 5433."],
    ["what is the capital of France?", "Never push to main."],
    ["run it again please", "Run the linter before you commit."],
  ])("not %s: %s", (prompt, text) => expect(fit(prompt, text)).toBe(false));
});

describe("a reminder to write something down", () => {
  const law = { remindAfter: 8, insistAfter: 30 };
  const due = (interactions: number, prompt = "go on", logged = false) =>
    chooseReminder({ interactions, logged, prompt }, () => false, law);

  it("is due at 8 and at 30 interactions and at a farewell, not before, and not where something was logged", () => {
    expect([due(7), due(8), due(29), due(30)]).toEqual([null, "ask", "ask", "insist"]);
    expect([due(5, "let's wrap up"), due(1, "let's wrap up"), due(40, "goodbye", true)]).toEqual([
      "closing",
      null,
      null,
    ]);
  });

  it("knows a farewell from a task that mentions one", () => {
    for (const prompt of ["that's all for today", "before I go, save state", "sign off please"])
      expect(isClosingPrompt(prompt)).toBe(true);
    for (const prompt of ["close the file handle", "end the loop early", "wrap the call in a function"])
      expect(isClosingPrompt(prompt)).toBe(false);
  });
});

it("a model's window is read off its name", () => {
  const names = ["claude-opus-5-5", "claude-sonnet-5[1m]", "gemini-3-pro", "local-8k", "who-knows", null];
  expect(names.map(estimateContextWindow)).toEqual([200_000, 1_000_000, 1_000_000, 8_000, 128_000, 128_000]);
});

it("where nothing was asked but to remember something, a summary says what was run", async () => {
  const place = newPlace();
  try {
    const sendHook = (hook_event_name: string, fields: object) =>
      place.run(["hook", "claude-code"], {
        stdin: JSON.stringify({ session_id: "kept", cwd: place.user, hook_event_name, ...fields }),
      });
    await sendHook("UserPromptSubmit", { prompt: "remember: the mill opens at nine" });
    const run = { tool_name: "Bash", tool_input: { command: "make flour" }, tool_use_id: "t1" };
    await sendHook("PostToolUse", { ...run, tool_response: { stdout: "" } });
    await sendHook("SessionEnd", { reason: "other" });
    expect(await place.json(["sessions", "summary", "kept"])).toMatchObject({
      text: "Ran make flour. 1 prompt, 1 call.",
    });
  } finally {
    place.remove();
  }
});
