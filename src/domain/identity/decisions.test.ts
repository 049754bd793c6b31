import { describe, expect, it } from "vitest";
import { Refusal } from "../decision.ts";
import { acceptIdentityProposal, editIdentity, type FileProposal, rejectIdentityProposal } from "./decisions.ts";
import { proposalStatuses } from "./identity.ts";

const before = "one\ntwo\nthree\n";
const proposal: FileProposal = {
  id: "p1",
  file: "SOUL.md",
  before,
  after: "one\ntwo\nthree, and more\n",
  reason: "seen often",
  origin: "agent",
  actor: "agent",
  rule: null,
  status: "open",
  refusal: null,
  createdAt: 1,
};

describe("a decision about a proposal", () => {
  it("accepted, its change is made on top of what was written meanwhile", () => {
    expect(acceptIdentityProposal(proposal, "ONE\ntwo\nthree\n")).toMatchObject({
      file: { id: "SOUL.md", text: "ONE\ntwo\nthree, and more\n" },
      proposal: { status: "accepted" },
    });
    expect(acceptIdentityProposal(proposal, "one\ntwo\nTHREE\n")).toBeInstanceOf(Refusal);
  });

  it("is made once: what is no longer open is refused", () => {
    expect(rejectIdentityProposal(proposal)).toMatchObject({ status: "rejected" });
    for (const status of proposalStatuses.filter((one) => one !== "open")) {
      expect(acceptIdentityProposal({ ...proposal, status }, before)).toBeInstanceOf(Refusal);
      expect(rejectIdentityProposal({ ...proposal, status })).toBeInstanceOf(Refusal);
    }
  });
});

describe("an edit of a file", () => {
  const next = (text: string) => text.replace("two", "TWO");

  it("is made of the text as it is now", () => {
    expect(editIdentity({ id: "SOUL.md" }, "zero\ntwo\n", { next })).toEqual({ id: "SOUL.md", text: "zero\nTWO\n" });
  });

  it("keeps what changed since the text that it was made from, unless both are in the same lines", () => {
    const base = before;
    expect(editIdentity({ id: "SOUL.md" }, "one\ntwo\nthree\nfour\n", { next, base })).toMatchObject({
      text: "one\nTWO\nthree\nfour\n",
    });
    expect(editIdentity({ id: "SOUL.md" }, "one\n2\nthree\n", { next, base })).toBeInstanceOf(Refusal);
  });
});
