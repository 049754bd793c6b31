import type { SessionPage, SessionsQuery } from "../api/shapes.ts";
import { useResource } from "../api/use-resource.ts";
import { amend, query } from "../browser/location.ts";
import { pathWith } from "../browser/route.ts";
import { Empty } from "../components/empty.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SessionFilters, type SessionFilter } from "../components/session-filters.tsx";
import { SessionList } from "../components/session-list.tsx";
import type { View } from "../view.ts";

export const sessions: View = {
  path: "/sessions",
  title: "Sessions",
  nav: { key: "s" },
  Page: Sessions,
};

const PAGE = 50;

function Sessions() {
  const filter: SessionFilter = {
    host: query("host"),
    workspace: query("workspace"),
    failing: query("failing") === "yes",
  };
  const before = query("before");
  const resource = useResource("sessions/list", questionOf(filter, before));
  return (
    <>
      <PageHead title="Sessions" lead={before === null ? "Latest activity first" : "Older sessions"}>
        <SessionFilters filter={filter} onChange={(next) => amend(hrefOf(next, null))} />
      </PageHead>
      <Loaded resource={resource} rows={12}>
        {(page) => (
          <>
            {page.sessions.length === 0 ? (
              <Nothing filtered={isFiltered(filter)} />
            ) : (
              <SessionList sessions={page.sessions} />
            )}
            <Pager page={page} filter={filter} before={before} />
          </>
        )}
      </Loaded>
    </>
  );
}

type PagerProps = {
  readonly page: SessionPage;
  readonly filter: SessionFilter;
  readonly before: string | null;
};

function Pager({ page, filter, before }: PagerProps) {
  const last = page.sessions.at(-1);
  return (
    <nav aria-label="More sessions" class="mt-4 flex justify-between">
      {before === null ? <span /> : <a href={hrefOf(filter, null)}>← Newest</a>}
      {page.more && last && <a href={hrefOf(filter, last.lastAt)}>Older →</a>}
    </nav>
  );
}

function Nothing({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <Empty title="No session fits these filters" text="Loosen one of them to see more." />
  ) : (
    <Empty
      title="Nothing recorded yet"
      text="Run `oldhand import` to read past sessions, or `oldhand install` to observe new ones."
    />
  );
}

function questionOf(filter: SessionFilter, before: string | null): SessionsQuery {
  return {
    limit: PAGE,
    ...(filter.host === null ? {} : { host: filter.host }),
    ...(filter.workspace === null ? {} : { workspace: filter.workspace }),
    ...(filter.failing ? { failing: true } : {}),
    ...(before === null ? {} : { before }),
  };
}

function hrefOf({ host, workspace, failing }: SessionFilter, before: string | null): string {
  return pathWith("/sessions", { host, workspace, failing: failing ? "yes" : null, before });
}

function isFiltered({ host, workspace, failing }: SessionFilter): boolean {
  return host !== null || workspace !== null || failing;
}
