import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../domain/policy.ts";
import { toCallEventFields } from "./to-event.ts";

const policy = { ...defaultPolicy.observe, payloadCharacters: 1_000, resultCharacters: 1_000 };
const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

function stored(content: string): string {
  const { input } = toCallEventFields(
    { tool: "Write", input: { content }, ok: true, text: null, exitCode: null },
    policy,
  );
  return (input as { content: string }).content;
}

describe("a long text inside an input", () => {
  it("keeps head and tail, and says how much was cut in all", () => {
    const content = stored(`head ${"x".repeat(100_000)} tail`);
    expect(content.length).toBeLessThanOrEqual(1_000);
    expect(content).toMatch(/^head x/);
    expect(content).toMatch(/x tail$/);
    const cut = Number(/\[(\d+) characters cut\]/.exec(content)?.[1]);
    expect(Math.abs(cut - 99_010)).toBeLessThan(100);
  });

  it("holds no secret of what is kept, wherever it is cut", () => {
    for (let at = 500; at < 700; at += 7) {
      const content = stored(`${"x ".repeat(at / 2)}${token} ${"y ".repeat(5_000)}${token}`);
      expect(content).not.toMatch(/ghp_\w{10}/);
    }
  });

  it("holds nothing of a private key whose beginning is cut", () => {
    const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    const [begin, end] = ["BEGIN", "END"].map((word) => `-----${word} PRIVATE KEY-----`);
    const content = stored(`${"x ".repeat(3_000)}${begin}\n${`${line}\n`.repeat(60)}${end}\n`);
    expect(content).not.toContain(line.slice(0, 20));
  });
});
