import type { IdentityProposal } from "../../api/contract.ts";
import { Time } from "../time.tsx";

/** The proposal's file, author and time. */
export function ProposalDetails({
  proposal: { file, origin, actor, rule, createdAt },
}: {
  readonly proposal: IdentityProposal;
}) {
  return (
    <p class="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
      <span>for {file}</span>
      <span>
        from {origin}
        {actor !== origin && ` (${actor})`}
      </span>
      <Time at={createdAt} />
      {rule !== null && <a href={`/rules/${encodeURIComponent(rule)}`}>the rule it comes from</a>}
    </p>
  );
}
