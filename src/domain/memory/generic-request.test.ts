import { describe, expect, it } from "vitest";
import { isGenericRequest } from "./generic-request.ts";

describe("whether a prompt is one of any project", () => {
  it.each([
    "rename df2 to cleaned",
    "write a commit message for the staged changes",
    "the linter wants a comma here",
    "Please explain what a mutex is",
    "what is the difference between let and const",
    "what does idempotent mean",
    "format all the files",
    "add a unit test for clamp()",
  ])("is: %s", (prompt) => expect(isGenericRequest(prompt)).toBe(true));

  it.each([
    "deploy the booking service",
    "write a tool that renames files, in Rust",
    "how do I reach the staging database?",
    "which format does the lab send",
    "what does the deploy job need",
    "the invoice has the wrong font",
    "who reviews changes to payments?",
  ])("is not: %s", (prompt) => expect(isGenericRequest(prompt)).toBe(false));

  it("goes by how the prompt begins: the rest may be pasted", () => {
    expect(isGenericRequest(`deploy the booking service\n${"x ".repeat(100)}\nwarning: unused variable`)).toBe(false);
  });
});
