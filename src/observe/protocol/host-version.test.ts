import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../domain/policy.ts";
import { findHost } from "../hosts/list.ts";
import { cursorProtocol } from "../hosts/cursor/protocol.ts";
import { parseHostVersion, readVersionFromHead } from "./host-version.ts";

const fixture = (host: string, file: string) =>
  join(dirname(fileURLToPath(import.meta.url)), "../hosts", host, "fixtures", file);

describe("the version of a host", () => {
  it.each([
    ["claude-code", "refusals-2.1.325.jsonl", "2.1.325"],
    ["codex", "rollout.jsonl", "0.166.0"],
    ["qwen", "session.jsonl", "0.24.4"],
    ["copilot", "session.jsonl", "1.0.102"],
    ["cline", "session.messages.json", "3.0.65"],
  ])("is told by every event of %s's record", async (host, file, version) => {
    const setup = await findHost(host)?.setup();
    const versions = new Set<string | undefined>();
    for await (const item of setup?.readTranscript(fixture(host, file), defaultPolicy.observe) ?? [])
      versions.add(item.hostVersion);
    expect([...versions]).toEqual([version]);
  });

  it("is told by Cursor's hooks when a session or a prompt begins", () => {
    const { payloads } = JSON.parse(readFileSync(fixture("cursor", "payloads.json"), "utf8")) as { payloads: object };
    const seen = Object.values(payloads).flatMap((payload) => cursorProtocol.decode(payload, {}));
    const moments = new Set(seen.filter((one) => one.hostVersion === "3.12.17").map((one) => one.moment));
    expect(moments).toEqual(new Set(["session-start", "prompt"]));
  });

  it("is found in the first line of a record of which only the end is read", () => {
    expect(readVersionFromHead(fixture("codex", "rollout.jsonl"), "cli_version")).toEqual({ hostVersion: "0.166.0" });
    expect(readVersionFromHead("/nowhere/rollout.jsonl", "cli_version")).toEqual({});
    const dir = mkdtempSync(join(tmpdir(), "oldhand-version-"));
    writeFileSync(join(dir, "empty.jsonl"), "");
    expect(readVersionFromHead(join(dir, "empty.jsonl"), "cli_version")).toEqual({});
    rmSync(dir, { recursive: true });
  });

  it("is nothing where the field holds something else", () => {
    for (const value of [1, null, "", "latest", "2.1 and a secret", "9".repeat(60)])
      expect(parseHostVersion(value)).toEqual({});
    expect(parseHostVersion("v2.1.0-beta.3+x")).toEqual({ hostVersion: "v2.1.0-beta.3+x" });
  });
});
