import { describe, expect, it } from "vitest";
import type { Event } from "./event.ts";
import { summaryOfSession, summaryText } from "./session-summary.ts";

type Part = Parameters<typeof summaryOfSession>[0][number];

const part = (kind: Event["kind"], over: Partial<Part> = {}): Part => ({
  kind,
  text: null,
  head: null,
  tool: null,
  input: null,
  outcome: kind === "call" ? "ok" : null,
  benign: false,
  at: 10,
  ...over,
});
const prompt = (text: string, at = 10) => part("prompt", { text, at });
const call = (over: Partial<Part>) => part("call", { tool: "Bash", ...over });

describe("a session's summary", () => {
  it("tells what was asked, done, changed and decided", () => {
    const summary = summaryOfSession([
      prompt("Why does the invoice parser drop negative amounts?", 5),
      call({ head: "npm test", outcome: "failed" }),
      call({ head: "npm test" }),
      call({ tool: "Edit", input: { file_path: "/w/src/invoice.ts" } }),
      call({ tool: "Edit", input: { file_path: "/w/src/invoice.ts" } }),
      call({ tool: "Read", input: { file_path: "/w/src/other.ts" } }),
      prompt("The parser looks better. Let's use integers for amounts. Thanks!"),
      part("answer", { text: "I decided to keep the old format for exports.", at: 99 }),
    ]);
    expect(summary).toEqual({
      asked: "Why does the invoice parser drop negative amounts?",
      topics: ["npm test", "parser", "amounts"],
      decisions: [
        { by: "owner", text: "Let's use integers for amounts." },
        { by: "agent", text: "I decided to keep the old format for exports." },
      ],
      files: ["/w/src/invoice.ts"],
      calls: 5,
      failures: 1,
      from: 5,
      to: 99,
    });
    expect(summaryText(summary)).toBe(
      "Why does the invoice parser drop negative amounts?; 5 calls, 1 failed; changed invoice.ts; about npm test, parser, amounts",
    );
  });

  it("of a session in which nothing was said says so", () => {
    expect(summaryText(summaryOfSession([]))).toBe("nothing was asked; 0 calls, 0 failed");
  });

  it("does not take a question or a benign failure for more than it is", () => {
    const summary = summaryOfSession([prompt("Should we use tabs?"), call({ outcome: "failed", benign: true })]);
    expect(summary).toMatchObject({ decisions: [], failures: 0, topics: [] });
  });
});
