import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

interface Remembered {
  readonly memory: { readonly id: string; readonly scope: { readonly kind: string; readonly name: string | null } };
}

const places: Place[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function aPlace(): Place {
  places.push(newPlace());
  return places.at(-1) as Place;
}

function aRepository(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "oldhand-repo-")));
  mkdirSync(join(folder, ".git"));
  mkdirSync(join(folder, "src"));
  folders.push(folder);
  return folder;
}

const agent = { CLAUDECODE: "1" };

describe("what an agent remembers in its shell", () => {
  it("is of the workspace it works in", async () => {
    const [place, shop] = [aPlace(), aRepository()];
    const { memory } = await place.json<Remembered>(["remember", "Tests need docker"], {
      env: agent,
      cwd: join(shop, "src"),
    });
    expect(memory.scope).toEqual({ kind: "workspace", name: shop });
    const there = await place.run(["recall", "docker"], { cwd: shop });
    const elsewhere = await place.run(["recall", "docker"], { cwd: aRepository() });
    expect([there.code, elsewhere.code]).toEqual([0, 1]);
  });

  it("is of all workspaces where it says so, and is found by its key from its workspace", async () => {
    const [place, shop] = [aPlace(), aRepository()];
    const said = { env: agent, cwd: shop };
    const wide = await place.json<Remembered>(["remember", "Node 20 is the oldest", "--everywhere"], said);
    expect(wide.memory.scope.kind).toBe("global");
    const { memory } = await place.json<Remembered>(["remember", "Use pnpm", "--key", "packages"], said);
    expect((await place.json<{ readonly id: string }>(["memories", "show", "packages"], { cwd: shop })).id).toBe(
      memory.id,
    );
    const both = await place.run(["remember", "x y z", "--everywhere", "--workspace", "."], said);
    expect(both.code).toBe(2);
  });

  it("is everywhere where a person writes it, as before", async () => {
    const { memory } = await aPlace().json<Remembered>(["remember", "I prefer Rust"], { cwd: aRepository() });
    expect(memory.scope.kind).toBe("global");
  });
});
