import type { SessionPage, SessionsQuery } from "../api/shapes.ts";
import { useResource } from "../api/use-resource.ts";
import { replaceLocation, getQueryParameter } from "../browser/location.ts";
import { makePath } from "../browser/route.ts";
import { TrendChart } from "../components/chart/trend-chart.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { SessionFilters, type SessionListFilter } from "../components/sessions/session-filters.tsx";
import { SessionList } from "../components/sessions/session-list.tsx";
import type { View } from "../view.ts";

export const sessions: View = {
  path: "/sessions",
  title: "Sessions",
  nav: { key: "s" },
  Page: Sessions,
};

const PAGE = 50;

function Sessions() {
  const filter: SessionListFilter = {
    host: getQueryParameter("host"),
    workspace: getQueryParameter("workspace"),
    failing: getQueryParameter("failing") === "yes",
  };
  const before = getQueryParameter("before");
  const resource = useResource("sessions/list", makeQuery(filter, before));
  return (
    <>
      <PageHead title="Sessions" lead={before === null ? "Latest activity first" : "Older sessions"}>
        <SessionFilters filter={filter} onChange={(next) => replaceLocation(makeHref(next, null))} />
      </PageHead>
      {before === null && filter.host === null && (
        <div class="mb-6">
          <TrendChart label="Sessions and failed calls by day" show={["failures", "sessions"]} />
        </div>
      )}
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
  readonly filter: SessionListFilter;
  readonly before: string | null;
};

function Pager({ page, filter, before }: PagerProps) {
  const last = page.sessions.at(-1);
  return (
    <nav aria-label="More sessions" class="mt-4 flex justify-between">
      {before === null ? <span /> : <a href={makeHref(filter, null)}>← Newest</a>}
      {page.more && last && <a href={makeHref(filter, last.lastAt)}>Older →</a>}
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

function makeQuery(filter: SessionListFilter, before: string | null): SessionsQuery {
  return {
    limit: PAGE,
    ...(filter.host === null ? {} : { host: filter.host }),
    ...(filter.workspace === null ? {} : { workspace: filter.workspace }),
    ...(filter.failing ? { failing: true } : {}),
    ...(before === null ? {} : { before }),
  };
}

function makeHref({ host, workspace, failing }: SessionListFilter, before: string | null): string {
  return makePath("/sessions", { host, workspace, failing: failing ? "yes" : null, before });
}

function isFiltered({ host, workspace, failing }: SessionListFilter): boolean {
  return host !== null || workspace !== null || failing;
}
