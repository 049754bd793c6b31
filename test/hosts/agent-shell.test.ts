import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { program } from "../program.ts";
import { describeHosts, hostTitle } from "./lab/driven.ts";
import { drivenHosts } from "./lab/hosts/all.ts";

describeHosts(
  ({ host }) => `an agent of ${hostTitle(host)}`,
  drivenHosts.map((host) => ({ host })),
  ({ host, inLab }) => {
    it("cannot lift a rule in its owner's name", () =>
      inLab(async (lab) => {
        const { rule } = lab.json<{ rule: { id: string } }>("learn", "Push with git push.", "--command", "git psuh");
        const tool = join(lab.project, "bin", "rel");
        const reply = join(lab.project, "answer");
        mkdirSync(join(lab.project, "bin"));
        // Called by its path, with output to a file: not every host keeps the PATH or passes on all output.
        writeFileSync(tool, `#!/bin/sh\n${process.execPath} ${program} override ${rule.id} > answer 2>&1\necho done\n`);
        chmodSync(tool, 0o755);
        await lab.session({
          prompt: "go on",
          turns: [{ calls: [host.shell("./bin/rel push --target staging")] }, { text: "Done." }, { text: "Done." }],
        });
        await expect.poll(() => existsSync(reply) && readFileSync(reply, "utf8")).toContain("oldhand");
        expect(readFileSync(reply, "utf8")).toContain(
          `only the owner may run this command, and this shell belongs to ${host.name}`,
        );
        const { changes } = lab.json<{ changes: readonly { noun: string }[] }>("history");
        expect(changes.map((one) => one.noun)).not.toContain("override");
      }));
  },
);
