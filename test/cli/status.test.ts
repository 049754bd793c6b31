import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newPlace } from "../program.ts";

it("status tells who has nothing to show yet what to do, and after that is done it does not ask for it again", async () => {
  const place = newPlace();
  try {
    mkdirSync(join(place.user, ".claude"));
    expect((await place.run(["status"])).stdout).toContain(
      "Nothing was observed yet. `oldhand install` connects your agents",
    );
    await place.run(["install", "claude-code"]);
    const { stdout } = await place.run(["status"]);
    expect(stdout).toContain("Nothing was observed yet. Claude Code is observed from the next session on.");
    expect(stdout).not.toContain("oldhand install");
  } finally {
    place.remove();
  }
});
