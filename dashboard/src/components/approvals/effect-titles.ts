import type { Approval } from "../../api/contract.ts";

export const effectTitles: Readonly<Record<Approval["effect"], string>> = {
  read: "It reads files or the mind.",
  internal: "It changes what is the agent's own, such as a memory.",
  edit: "It changes files.",
  execute: "It runs a program.",
  external: "It sends something out, or fetches from outside.",
};
