/** Cached results that are slow to compute, each with the version of its input. */
export const keptResults = `create table kept_answers (
  kind text not null,
  key text not null,
  version text not null,
  value text not null,
  primary key (kind, key)
) without rowid;

alter table rule_marks add column changed integer not null default 0;

create index sessions_by_host on sessions (host, last_at, events, failures);
create index sessions_by_workspace on sessions (workspace, last_at);
`;
