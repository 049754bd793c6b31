import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { newPlace, root } from "../program.ts";

const load = (name: string) =>
  import(pathToFileURL(join(root, "dist", "tools", name)).href) as Promise<
    Record<string, (...args: unknown[]) => unknown>
  >;

describe("the built program", () => {
  it("has the modules with large libraries in files of their own", async () => {
    const { extractReadableText } = await load("web/readable-text.js");
    expect(extractReadableText?.("<html><head><title>T</title></head><body><p>Some text.</p></body></html>")).toEqual({
      title: "T",
      text: "Some text.",
    });
    expect(typeof (await load("web/send-mail.js"))["sendMail"]).toBe("function");
    const { listMcpAgentTools } = await load("mcp/mcp-tools.js");
    expect(await listMcpAgentTools?.({})).toEqual([]);
  });

  it("lets oldhand's own agent answer no approval in its shell, whatever it adds to the command", async () => {
    const place = newPlace();
    const env = { OLDHAND_AGENT_SESSION: "s1" };
    for (const words of [
      ["approvals", "approve", "ap_1"],
      ["--for-owner", "approvals", "approve", "ap_1"],
      ["approvals", "list"],
      ["--for-owner", "config", "set", "off", "true"],
    ]) {
      const ran = await place.run(words, { env });
      expect(ran, words.join(" ")).toMatchObject({ code: 1, stdout: "" });
      expect(ran.stderr).toContain("only the owner may run this command, and this shell belongs to oldhand s1");
    }
    expect((await place.run(["approvals", "list"])).stdout).toBe("Nothing waits for an answer.\n");
    place.remove();
  });
});
