import { describe, expect, it } from "vitest";
import { besidesMemories, typedMemories } from "./typed-memory.ts";

/** What is kept, and the task behind it. Written before the code that cuts. */
const withTask: readonly (readonly [kept: string, task: string])[] = [
  ["we sign release tags with the key in the Yubikey", ", and now run go vet"],
  ["port of staging db is 6543", ", then restart the server"],
  ["never squash merges", "; now rebase my branch"],
  ["the build needs `make deps` first", ", can you run it"],
  ["the build needs `make deps` first", ", can you run it?"],
  ["the staging host is hal9", ", could you ping it"],
  ["the docs are built with mkdocs", ", please add a page on caching"],
  ["invoices are rounded down", "; please fix the test"],
  ["the linter is ruff", ", and please run it over src"],
  ["Anna owns the payments service", ", then assign the ticket to her"],
  ["fixtures live in testdata", ". Now write a test for the parser."],
  ["we release on Mondays", "; now bump the version"],
  ["the queue is called jobs-v2", ", now update the worker"],
  ["the API key is in Vault", " - now add the call"],
  ["migrations are numbered", ", and then create one for the new column"],
  ["the log level is set in app.toml", "; after that restart the worker"],
  ["prices are in cents", ", let's change the cart"],
  ["the mirror is at repo.local", ", go ahead and install the packages"],
  ["Kiel is the test shop", ", would you import its orders"],
  ["the port is 8080", ". Could you check the proxy?"],
  ["dates are in UTC", ", I want you to convert the report"],
  ["the demo user is bob", ", i need you to reset his password"],
  ["the seed is 42", "; next rerun the benchmark"],
  ["we deploy from main", ". Fix the typo in the README."],
  ["the flag is called --dry", ", and rename the variable to match"],
  ["always use tabs", "; now format this file"],
  ["tests need docker", ", will you start it"],
  ["build of the image is slow", ", then split the first layer"],
  ["the owner is team blue", ". Show me the open tickets."],
];

/** Facts that sound like a task: an order of steps, a habit, a change. */
const withoutTask: readonly string[] = [
  "we tag, then push",
  "we tag the release, then push the tag",
  "build first; then run the tests",
  "run the migrations, then restart the server",
  "to release, bump the version, then push the tag",
  "first start the database, then run the tests",
  "we lint, and run the tests before a push",
  "the order is lint, then run the tests, then build the image",
  "we moved off Travis, and now run on GitHub Actions",
  "we used npm, and now use pnpm",
  "the job was nightly and now runs every hour",
  "you must log in, then open the tunnel",
  "after a deploy, clear the cache, then warm it with `make warm`",
  "the cache is stale after a deploy, so restart the server",
  "say please when you ask the ops team",
  "never push on Fridays",
  "the release script tags the commit, then pushes it",
  "customers can pay by invoice, and you can see it in the admin",
  "the API is versioned. Add the header X-Version to each request.",
  "use pnpm, not npm",
  "the build is slow now because of the wasm step",
  "now that we are on Go 1.24, generics are fine",
  "we check the diff, fix the lints and then commit",
  "the next release is 2.0; the one after that drops Node 18",
  "CI runs `make test`, then uploads the coverage",
  "rebase, then merge: no merge commits",
  "the nightly job is green first, then the release is cut",
  "if the tests hang, restart docker and then run them again",
];

describe("a task behind what is to be remembered", () => {
  it.each(withTask)("%j is kept without %j", (kept, task) => {
    for (const opening of ["remember: ", "remember that "]) {
      const prompt = `${opening}${kept}${task}`;
      const [memory, ...others] = typedMemories(prompt);
      expect.soft(memory?.text.replace(/\.$/, ""), prompt).toBe(kept);
      expect.soft(others, prompt).toEqual([]);
      expect.soft(besidesMemories(prompt), prompt).toContain(task.replace(/^\W+(?:and )?/, "").slice(-12));
    }
  });

  it.each(withoutTask)("%j is kept whole", (fact) => {
    expect.soft(typedMemories(`remember: ${fact}`)).toEqual([{ text: fact, everywhere: false }]);
    expect.soft(besidesMemories(`remember: ${fact}`)).toBe("");
  });
});
