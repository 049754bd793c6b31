import { describe, expect, it } from "vitest";
import { besidesMemories, typedMemories } from "./typed-memory.ts";

const here = (text: string) => [{ text, everywhere: false }];

describe("what a person types to be remembered", () => {
  it.each([
    ["remember: staging DB is on port 5433", "staging DB is on port 5433"],
    ["Remember: the API key is in Vault.", "the API key is in Vault."],
    ["please remember that we deploy on Tuesdays only", "we deploy on Tuesdays only"],
    ["Remember this: use pnpm, not npm", "use pnpm, not npm"],
    ["ok, remember that Anna reviews payments. Then run the tests.", "Anna reviews payments."],
    ["I want you to remember that prices are in cents", "prices are in cents"],
    ["fix the login. Remember: staging is on 5433.", "staging is on 5433."],
    ["remember: staging is on 5433. Prod is on 5432. Now run the tests.", "staging is on 5433. Prod is on 5432."],
    ["remember:\n- tabs, not spaces\n- LF line ends\n\nthen format the file", "- tabs, not spaces\n- LF line ends"],
    ["look at the build\nremember: it needs node 20", "it needs node 20"],
    ["remember that staging is on 5433, and fix the typo in README", "staging is on 5433"],
    ["remember: staging is on 5433; then fix the typo in README", "staging is on 5433"],
    ["remember that we lint, and run the tests before a push", "we lint, and run the tests before a push"],
    ["remember: build first; then run the tests", "build first; then run the tests"],
    ["remember: we log everywhere with pino", "we log everywhere with pino"],
    ["remember: the belt was replaced in June\nWhere is the manual?", "the belt was replaced in June"],
    ["remember: the mixer needs oil on Fridays\nThen stop.", "the mixer needs oil on Fridays"],
    ["fix the login. Remember: it is on 5433.\nrun the tests", "it is on 5433."],
    ["remember: the belt was replaced in June. Where is the manual?", "the belt was replaced in June."],
    ["remember: our line ends\n- LF in code\n- CRLF in csv\nfix a.ts", "our line ends\n- LF in code\n- CRLF in csv"],
    ["remember:\nthe API is on 5433\nnow run the tests", "the API is on 5433"],
    ["remember:\n\nthe API is on 5433\n\nrun the tests", "the API is on 5433"],
    ["remember: the port is 7001, and add a test for it", "the port is 7001"],
    ["remember: the port is 7001, and write a migration for that", "the port is 7001"],
    ["remember: the port is 7001; also please explain what the port is used for", "the port is 7001"],
    ["remember: the port is 7001, so change the config", "the port is 7001"],
    ["remember: the port is 7001 - update the README accordingly", "the port is 7001"],
    ["remember: we tag, and write a changelog before a release", "we tag, and write a changelog before a release"],
    [
      "remember: it is slow, so change it with care on Fridays only",
      "it is slow, so change it with care on Fridays only",
    ],
    ["remember in this project: the port is 7001", "the port is 7001"],
    ["remember for this repo that the port is 7001", "the port is 7001"],
    ["Remember, the port is 7001", "the port is 7001"],
    ["remember - the port is 7001", "the port is 7001"],
    ["remember — the port is 7001", "the port is 7001"],
    ["Remember the staging URL: https://stage.example.com/a", "the staging URL: https://stage.example.com/a"],
    ["Can you remember that the port is 7001?", "the port is 7001"],
    ["could you please remember that the port is 7001", "the port is 7001"],
    ["Don't forget: the port is 7001", "the port is 7001"],
    ["do not forget that the port is 7001", "the port is 7001"],
  ])("%j keeps %j", (prompt, text) => expect(typedMemories(prompt)).toEqual(here(text)));

  it.each([
    ["remember: staging is on 5433", ""],
    ["remember that we never deploy on Fridays. Then run the tests.", "Then run the tests."],
    ["fix the login. Remember: staging is on 5433. Prod is on 5432.", "fix the login."],
    ["remember that staging is on 5433, and fix the typo in README", "fix the typo in README"],
    ["remember: commit messages are in English, everywhere", ""],
    ["remember:\n- tabs, not spaces\n- LF line ends\n\nthen format the file", "then format the file"],
    ["remember: the belt was replaced in June\nWhere is the manual?", "Where is the manual?"],
    ["remember: the mixer needs oil on Fridays\nThen stop.", "Then stop."],
    ["remember: our line ends\n- LF in code\nfix a.ts", "fix a.ts"],
    ["Add coupons.\nRound down.", "Add coupons.\nRound down."],
  ])("of %j else is asked %j", (prompt, rest) => expect(besidesMemories(prompt)).toBe(rest));

  it("keeps two where two are asked for", () => {
    expect(typedMemories("remember: a is on 1\nremember: b is on 2").map((one) => one.text)).toEqual([
      "a is on 1",
      "b is on 2",
    ]);
  });

  it.each([
    ["remember everywhere: I prefer Rust", "I prefer Rust"],
    ["remember in all projects: use tabs", "use tabs"],
    ["remember globally that I write British English", "I write British English"],
    ["remember: commit messages are in English, everywhere", "commit messages are in English"],
    ["remember that I prefer Rust in all my projects", "I prefer Rust"],
  ])("%j holds in all projects", (prompt, text) => expect(typedMemories(prompt)).toEqual([{ text, everywhere: true }]));

  it.each([
    "do you remember that bug?",
    "can you remember that bug we had last week?",
    "Remember that I told you yesterday about the bug",
    "Remember, fix the tests first",
    "don't forget to run the tests",
    "Remember the staging bug: fix it first",
    "remember that bug we had last week?",
    "remember: did we ship it?",
    "I can't remember: was it staging?",
    "remember to run the tests",
    "remember me",
    "remember:",
    "write a function that remembers: its last call",
    "> remember: this is quoted",
    "```\nremember: this is code\n```\nexplain this",
    "<file>\nremember: this is a file\n</file> what is this?",
    `what is this?\n${"a line of a log\n".repeat(30)}remember: pasted\n${"another\n".repeat(5)}`,
  ])("%j keeps nothing", (prompt) => expect(typedMemories(prompt)).toEqual([]));
});
