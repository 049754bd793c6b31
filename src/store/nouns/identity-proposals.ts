import type { IdentityProposal } from "../../domain/identity/identity.ts";
import type { Origin } from "../../domain/rule/rule.ts";
import { isOwner } from "../../domain/actor.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

const columns = "id, file, before, after, reason, origin, actor, rule, status, refusal, created_at";

/** Oldest first. */
export async function listIdentityProposals(db: Db): Promise<IdentityProposal[]> {
  const rows = await db.all<IdentityProposalRow>(`select ${columns} from identity_proposals order by created_at, id`);
  return rows.map(fromRow);
}

export async function getIdentityProposal(db: Db, id: string): Promise<IdentityProposal | null> {
  const row = await db.get<IdentityProposalRow>(`select ${columns} from identity_proposals where id = ?`, [id]);
  return row ? fromRow(row) : null;
}

/** Only the journal calls these. Only the owner may accept a proposal. */
export const identityProposalNoun: Noun<IdentityProposal> = {
  name: "identity-proposal",
  read: getIdentityProposal,
  write: async (db, id, one) => {
    if (one === null) {
      await db.run("delete from identity_proposals where id = ?", [id]);
      return;
    }
    await db.run(
      `insert into identity_proposals (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set file = excluded.file, before = excluded.before, after = excluded.after,
         reason = excluded.reason, origin = excluded.origin, actor = excluded.actor, rule = excluded.rule,
         status = excluded.status, refusal = excluded.refusal, created_at = excluded.created_at`,
      [
        id,
        one.file,
        one.before,
        one.after,
        one.reason,
        one.origin,
        one.actor,
        one.rule,
        one.status,
        one.refusal,
        one.createdAt,
      ],
    );
  },
  all: listIdentityProposals,
  dependants: async () => [],
  refuses: (before, after, actor) => {
    if (isOwner(actor)) return null;
    if (before !== null) return "only the owner decides on a proposal";
    return after === null || after.status === "open" || after.status === "refused"
      ? null
      : "only the owner decides on a proposal";
  },
};

interface IdentityProposalRow {
  id: string;
  file: string;
  before: string;
  after: string;
  reason: string;
  origin: string;
  actor: string;
  rule: string | null;
  status: string;
  refusal: string | null;
  created_at: number;
}

function fromRow(row: IdentityProposalRow): IdentityProposal {
  return {
    id: row.id,
    file: row.file as IdentityProposal["file"],
    before: row.before,
    after: row.after,
    reason: row.reason,
    origin: row.origin as Origin,
    actor: row.actor,
    rule: row.rule,
    status: row.status as IdentityProposal["status"],
    refusal: row.refusal,
    createdAt: row.created_at,
  };
}
