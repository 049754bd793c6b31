import { useState } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import { ApprovalRow } from "../components/approvals/approval-row.tsx";
import { WaitingCard } from "../components/approvals/waiting-card.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { noFilter, type View } from "../view.ts";

export const approvals: View = {
  path: "/approvals",
  title: "Approvals",
  nav: { key: "a", useCount: useWaitingCount },
  filter: noFilter,
  Page: Approvals,
};

/** How many actions wait for an answer. */
function useWaitingCount(): number {
  return useResource("status", {}).value?.approvals ?? 0;
}

const PAGE = 30;

function Approvals() {
  const open = useResource("approvals/list", { limit: 200 });
  return (
    <>
      <PageHead title="Approvals" lead="What oldhand's own agent may do, decided by you" />
      <div class="flex flex-col gap-8">
        <Loaded resource={open} rows={3}>
          {({ approvals: found }) => {
            const waiting = found.filter(({ status }) => status === "waiting");
            const standing = found.filter(({ isStanding }) => isStanding);
            return (
              <div class="flex flex-col gap-8">
                <PageSection title="Waiting for you">
                  {waiting.length === 0 ? (
                    <Empty title="Nothing waits for an answer" text="A call that needs your yes is shown here." />
                  ) : (
                    <ul aria-label="Waiting approvals" class="flex flex-col gap-3">
                      {waiting.map((one) => (
                        <li key={one.id}>
                          <WaitingCard approval={one} />
                        </li>
                      ))}
                    </ul>
                  )}
                </PageSection>
                {standing.length > 0 && (
                  <PageSection title="In force: equal actions run without a question">
                    <ul aria-label="In force" class="divide-y divide-line border-y border-line">
                      {standing.map((one) => (
                        <ApprovalRow key={one.id} approval={one} by="action" />
                      ))}
                    </ul>
                  </PageSection>
                )}
              </div>
            );
          }}
        </Loaded>
        <Earlier />
      </div>
    </>
  );
}

/** What was answered, refused or missed, newest first. */
function Earlier() {
  const [limit, setLimit] = useState(PAGE);
  const all = useResource("approvals/list", { all: true, limit: limit + 1 });
  return (
    <PageSection title="Earlier">
      <Loaded resource={all} rows={3}>
        {({ approvals: found }) => {
          const earlier = found.slice(0, limit).filter(({ status }) => status !== "waiting");
          if (earlier.length === 0) return <p class="border-y border-line py-3 text-soft">Nothing was asked yet.</p>;
          return (
            <>
              <ul aria-label="Earlier approvals" class="divide-y divide-line border-y border-line">
                {earlier.map((one) => (
                  <ApprovalRow key={one.id} approval={{ ...one, isStanding: false }} by="summary" />
                ))}
              </ul>
              {found.length > limit && limit + PAGE < 1_000 && (
                <p class="py-3 text-center">
                  <button type="button" class="press" onClick={() => setLimit(limit + PAGE)}>
                    Show more
                  </button>
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </PageSection>
  );
}
