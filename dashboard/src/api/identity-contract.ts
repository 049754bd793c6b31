import type { Id } from "./contract.ts";

/** Who the agent is: the files, the weightiest first. */
export type Soul = {
  readonly files: readonly IdentityFile[];
  /** As a session is given it. */
  readonly identity: string;
  readonly limit: number;
  readonly cut: boolean;
};

export type IdentityFile = {
  readonly name: string;
  readonly path: string;
  readonly text: string | null;
  readonly protected: readonly string[];
  /** Lines from 0, `to` not with it. */
  readonly guarded: readonly { readonly from: number; readonly to: number }[];
  readonly did: string;
};

export type SoulEdit = {
  readonly file: string;
  readonly text: string;
  readonly base: string;
  readonly reason?: string;
};

export type Proposal = {
  readonly id: string;
  readonly file: string;
  readonly status: string;
  readonly reason: string;
  readonly origin: string;
  readonly actor: string;
  readonly rule: string | null;
  readonly refusal: string | null;
  readonly createdAt: string;
  readonly diff: string;
};

export type FileDrift = {
  readonly file: string;
  readonly since: string;
  readonly versions: number;
  readonly lines: number;
  readonly words: number;
  readonly added: number;
  readonly removed: number;
  readonly sections: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
};

/** One entry of the growth log. */
export type Growth = {
  readonly change: Id;
  readonly at: string;
  readonly file: string;
  readonly actor: string;
  readonly reason: string;
  readonly added: number;
  readonly removed: number;
  readonly undoneBy: Id | null;
};
