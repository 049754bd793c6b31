import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { program } from "../program.ts";
import { type DrivenHost, labOf } from "./lab/driven.ts";
import { claudeCodes } from "./lab/hosts/claude-code.ts";
import { cline } from "./lab/hosts/cline.ts";
import { codex } from "./lab/hosts/codex.ts";
import { copilot } from "./lab/hosts/copilot.ts";
import { droid } from "./lab/hosts/droid.ts";
import { gemini } from "./lab/hosts/gemini.ts";
import { opencode } from "./lab/hosts/opencode.ts";
import { pi } from "./lab/hosts/pi.ts";
import { qwen } from "./lab/hosts/qwen.ts";
import { loopbackOnly } from "./lab/loopback.ts";

const hosts: readonly DrivenHost[] = [...claudeCodes, codex, gemini, opencode, copilot, qwen, pi, droid, cline];
const alone = loopbackOnly();

describe.each(hosts.map((host) => ({ host, title: `${host.name} ${host.client.version}` })))(
  "an agent of $title",
  ({ host }) => {
    if (alone === null || host.client.kind === "absent") {
      const why = host.client.kind === "absent" ? host.client.why : "no network namespace here";
      it.skip(`types in its shell (skipped: ${why})`, () => {});
      return;
    }

    it("cannot lift a rule in its owner's name", async () => {
      using lab = labOf(host, alone);
      const { rule } = lab.json<{ rule: { id: string } }>("learn", "Push with git push.", "--command", "git psuh");
      const tool = join(lab.project, "bin", "rel");
      const answer = join(lab.project, "answer");
      mkdirSync(join(lab.project, "bin"));
      // By its path, and into a file: not every host keeps the PATH, or gives the model all that is printed.
      writeFileSync(tool, `#!/bin/sh\n${process.execPath} ${program} override ${rule.id} > answer 2>&1\necho done\n`);
      chmodSync(tool, 0o755);
      await lab.session({
        prompt: "go on",
        turns: [{ calls: [host.shell("./bin/rel push --target staging")] }, { text: "Done." }, { text: "Done." }],
      });
      await expect.poll(() => existsSync(answer) && readFileSync(answer, "utf8")).toContain("oldhand");
      expect(readFileSync(answer, "utf8")).toContain(
        `only the owner may run this command, and this shell belongs to ${host.name}`,
      );
      const { changes } = lab.json<{ changes: readonly { noun: string }[] }>("history");
      expect(changes.map((one) => one.noun)).not.toContain("override");
    });
  },
);
