import { expect, it } from "vitest";
import { claude } from "./lab/lantern.ts";
import { describeHosts } from "./lab/driven.ts";
import type { Lab } from "./lab/lab.ts";
import { listRequests, read } from "./lab/wire.ts";

const FACT = "staging DB is on port 5433";
const turns = [{ text: "Noted." }, { text: "Noted." }];

/** More important than what the user typed, and enough of them to fill the advice at session start. */
const others = [
  "Views are written in Kotlin",
  "Passwords are hashed with argon2",
  "Invoices are rendered with Typst",
  "Icons come from the design team",
  "Releases are cut on Tuesdays",
  "The mascot is a heron",
  "Currency is stored in cents",
  "Logs go to Loki",
  "Maps come from MapLibre",
  "Crash reports go to Sentry",
  "Translations live in Weblate",
  "Feature flags live in Unleash",
  "Photos lose their EXIF",
  "Migrations need a review by Anna",
  "The printer is on the second floor",
  "Benchmarks run on the rig kettle",
];

interface Memory {
  readonly text: string;
  readonly origin: string;
  readonly scope: { readonly kind: string; readonly name: string | null };
}

const ways = [
  { host: claude, way: "the plugin, whose process lives", install: ["claude-code"] },
  { host: claude, way: "command hooks", install: ["claude-code", "--project", "."] },
];

const title = `n: a fact told to Claude Code ${claude.client.version}, by`;

describeHosts(
  ({ way }) => `${title} ${way}`,
  ways,
  ({ install, ...driver }) => {
    const inLab = (act: (lab: Lab) => Promise<void>) => driver.inLab(act, { install });
    const ask = async (lab: Lab, prompt: string, cwd = lab.project): Promise<string> =>
      read(listRequests(await lab.session({ prompt, cwd, turns }))[0]);

    it("is kept by its user's word alone, and is in the request that needs it, in no other, and in no other project", () =>
      inLab(async (lab) => {
        for (const text of others)
          expect(lab.oldhand("remember", text, "--workspace", ".", "--importance", "80").status).toBe(0);
        const requests = await ask(lab, `remember: ${FACT}`);
        expect(requests).toContain("saved what the user asked to remember, in the user's words, as memory");
        const { memories } = lab.json<{ memories: readonly Memory[] }>("memories", "list");
        expect(memories.filter((one) => one.text === FACT)).toMatchObject([
          { origin: "owner", scope: { kind: "workspace", name: lab.project } },
        ]);
        const cited = `| ${FACT}`;
        expect(await ask(lab, "connect to the staging database and count the users")).toContain(cited);
        expect(await ask(lab, "rename the variable a")).not.toContain(cited);
        const elsewhere = lab.repository("blog");
        for (const prompt of ["connect to the staging database and count the users", "rename the variable a"])
          expect(await ask(lab, prompt, elsewhere)).not.toContain("5433");
        expect(await ask(lab, "dump the users of the staging database")).toContain(cited);
      }));

    it("about its user is used in the next session, also in another project", () =>
      inLab(async (lab) => {
        await ask(lab, "remember in all projects: I prefer Rust for command line tools");
        // A project's hooks only run in that project.
        const next = install.includes("--project") ? lab.project : lab.repository("blog");
        expect(await ask(lab, "write a command line tool that renames photos", next)).toContain(
          "| I prefer Rust for command line tools",
        );
      }));
  },
);
