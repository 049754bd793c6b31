import type { SessionPage, SessionsQuery } from "../api/shapes.ts";
import { useQueryOnce } from "../api/use-query-once.ts";
import { useResource } from "../api/use-resource.ts";
import { useFilterInput } from "../browser/current-filter.ts";
import { replaceLocation, getQueryParameter } from "../browser/location.ts";
import type { FilterInput } from "../browser/page-filter.ts";
import { makePath } from "../browser/route.ts";
import { TrendChart } from "../components/chart/trend-chart.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { SessionFilters, type SessionListFilter } from "../components/sessions/session-filters.tsx";
import { SessionHits } from "../components/sessions/session-hits.tsx";
import { SessionList } from "../components/sessions/session-list.tsx";
import { SessionSearch } from "../components/sessions/session-search.tsx";
import type { View } from "../view.ts";

export const sessions: View = {
  path: "/sessions",
  title: "Sessions",
  nav: { key: "s" },
  Page: Sessions,
};

const PAGE = 50;
const HITS = 30;

function Sessions() {
  const filter: SessionListFilter = {
    host: getQueryParameter("host"),
    failing: getQueryParameter("failing") === "yes",
  };
  const words = getQueryParameter("q") ?? "";
  const before = getQueryParameter("before");
  return (
    <>
      <PageHead title="Sessions" lead={makeLead(words, before)}>
        <SessionFilters
          filter={filter}
          canFail={words === ""}
          onChange={(next) => replaceLocation(makeHref(next, { words }))}
        />
        <SessionSearch submitted={words} onSearch={(next) => replaceLocation(makeHref(filter, { words: next }))} />
      </PageHead>
      {words === "" && before === null && filter.host === null && (
        <div class="mb-6">
          <TrendChart label="Sessions and failed calls by day" show={["failures", "sessions"]} />
        </div>
      )}
      {words === "" ? <Latest filter={filter} before={before} /> : <Found words={words} host={filter.host} />}
    </>
  );
}

function Latest({ filter, before }: { readonly filter: SessionListFilter; readonly before: string | null }) {
  const range = useFilterInput();
  const resource = useResource("sessions/list", makeQuery(filter, range, before));
  const isNarrow = filter.host !== null || filter.failing || Object.keys(range).length > 0;
  return (
    <Loaded resource={resource} rows={12}>
      {(page) => (
        <>
          {page.sessions.length === 0 ? <Nothing filtered={isNarrow} /> : <SessionList sessions={page.sessions} />}
          <Pager page={page} filter={filter} before={before} />
        </>
      )}
    </Loaded>
  );
}

function Found({ words, host }: { readonly words: string; readonly host: string | null }) {
  const range = useFilterInput();
  const resource = useQueryOnce("sessions/search", {
    query: words,
    limit: HITS,
    ...range,
    ...(host === null ? {} : { host }),
  });
  return (
    <Loaded resource={resource} rows={12}>
      {({ hits, note }) =>
        hits.length === 0 ? (
          <Empty title="Nothing found" text="Other words, or a wider time range, may find it." />
        ) : (
          <>
            {note !== null && (
              <p role="note" class="mb-2 text-sm text-warn">
                {note}
              </p>
            )}
            <SessionHits hits={hits} />
          </>
        )
      }
    </Loaded>
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
      {before === null ? <span /> : <a href={makeHref(filter, {})}>← Newest</a>}
      {page.more && last && <a href={makeHref(filter, { before: last.lastAt })}>Older →</a>}
    </nav>
  );
}

function Nothing({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <Empty title="No session matches these filters" text="Loosen one of them to see more." />
  ) : (
    <Empty
      title="Nothing recorded yet"
      text="Run `oldhand import` to read past sessions, or `oldhand install` to observe new ones."
    />
  );
}

function makeLead(words: string, before: string | null): string {
  if (words !== "") return `Found for “${words}”, best match first`;
  return before === null ? "Latest activity first" : "Older sessions";
}

function makeQuery(filter: SessionListFilter, range: FilterInput, before: string | null): SessionsQuery {
  return {
    limit: PAGE,
    ...range,
    ...(filter.host === null ? {} : { host: filter.host }),
    ...(filter.failing ? { failing: true } : {}),
    ...(before === null ? {} : { before }),
  };
}

function makeHref(
  { host, failing }: SessionListFilter,
  { words, before }: { readonly words?: string; readonly before?: string },
): string {
  return makePath("/sessions", { host, failing: failing ? "yes" : null, q: words, before });
}
