import { existsSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { attendPayload } from "../../src/attend/attend.ts";
import { runMiningSlice } from "../../src/distil/maintenance/mining-slice.ts";
import { sleep } from "../../src/lib/sleep.ts";
import { openContext } from "../../src/mind.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { stores } from "../stores.ts";
import { failingSession, newMachine } from "../team/two-machines.ts";
import { describeHost } from "./lab/driven.ts";
import { newestClaudeCode } from "./lab/hosts/claude-code.ts";

const remote = "git@example.com:acme/shop.git";
const command = "git psuh origin main";
const error = "Exit code 1\ngit: 'psuh' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tpush";

const host = newestClaudeCode;

describeHost("a mistake that another machine repeats", host, ({ inLab }) => {
  it("is spoken at the call of a session that was running before", () =>
    inLab(async (lab) => {
      const store = stores.find(({ name }) => name === "postgres");
      if (store === undefined) throw new Error("there is no PostgreSQL");
      const place = await store.migrated();
      const a = newMachine({ name: "a", database: place.database, folder: "shop", remote });
      const mind = await openContext({ home: a.home });
      try {
        // The lab has a network of its own, so its client reaches the server through its socket.
        const { port, username, password } = new URL(inject("postgres"));
        const name = new URL(place.database).pathname;
        const database = `postgres://${username}:${password}@${encodeURIComponent(tmpdir())}:${port}${name}`;
        const settings = { database, embedder: "none", team: { machine: "b" } };
        lab.write(JSON.stringify(settings), ".oldhand", "config.json");
        spawnSync("git", ["remote", "add", "origin", remote], { cwd: lab.project });
        const wait = "touch ready; until [ -f go ]; do sleep 0.1; done";
        const running = lab.session({
          turns: [{ calls: [host.shell(`sh -c '${wait}'`)] }, { calls: [host.shell(command)] }, { text: "Done." }],
        });
        while (!existsSync(join(lab.project, "ready"))) await sleep(50);
        const client = findHost("claude-code");
        if (client === undefined) throw new Error("there is no host claude-code");
        for (const session of ["a1", "a2"])
          for (const payload of failingSession(a.workspace, session, { commands: [command, command], error }))
            await attendPayload(mind, client, payload);
        const failed = Date.now();
        await runMiningSlice(mind, { aborted: false });
        writeFileSync(join(lab.project, "go"), "");
        const { requests } = await running;
        expect(JSON.stringify(requests.at(-1))).toMatch(/oldhand, rule r_\w+: /);
        const shown = await mind.db.get<{ at: number }>("select min(at) as at from shown where kind = 'rule'");
        process.stdout.write(`spoken ${Number(shown?.at) - failed} ms after the fourth failure\n`);
      } finally {
        await mind.close();
        a.remove();
        await place.remove();
      }
    }));
});
