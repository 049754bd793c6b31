/** Counts of calls and failures, updated by the digest: `failures` has a small row per failure, the others are sums. */
export const keptCounts = `create table failures (
  event bigint primary key,
  signature text not null,
  host text not null,
  session text not null,
  workspace text,
  at bigint not null,
  ms bigint not null,
  characters bigint not null
);
create index failures_by_signature on failures (signature, event);
create index failures_by_signature_time on failures (signature, at);
create index failures_by_workspace on failures (workspace, at);
create index failures_by_time on failures (at);

create table failure_sessions (
  signature text not null,
  session text not null,
  failures bigint not null,
  primary key (signature, session)
);

create table failure_groups (
  signature text primary key,
  failures bigint not null,
  sessions bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  calls bigint not null,
  ms bigint not null,
  characters bigint not null,
  changed bigint not null
);
create index failure_groups_by_cost on failure_groups (calls desc, ms desc, characters desc, signature) where failures > 1 and sessions > 1;

create table session_calls (
  session text not null,
  host text not null,
  day bigint not null,
  workspace text not null,
  tool text not null,
  calls bigint not null,
  failures bigint not null,
  ms bigint not null,
  lost bigint not null,
  last_at bigint not null,
  primary key (session, host, day, workspace, tool)
);
create index session_calls_by_day on session_calls (day);
create index session_calls_by_workspace on session_calls (workspace, day);

create table session_workspaces (
  workspace text not null,
  session text not null,
  host text not null,
  primary key (workspace, session, host)
);
`;
