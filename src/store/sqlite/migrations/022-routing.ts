/** What the router learned and chose, answers that may be used again, failures of providers, retired models, and models that the owner prefers for a kind of task. */
export const routing = `
create table route_tallies (
  task_type text not null,
  complexity text not null,
  model text not null,
  attempt text not null,
  tries integer not null,
  explored integer not null,
  outcomes real not null,
  quality real not null,
  calls real not null,
  cost real not null,
  latency_ms real not null,
  at integer not null,
  version integer not null,
  primary key (task_type, complexity, model, attempt)
) without rowid;
create table routes (
  call text primary key,
  at integer not null,
  agent text not null,
  session text,
  task_type text not null,
  complexity text not null,
  model text not null,
  best text,
  attempt text not null,
  explored integer not null,
  cached_tokens integer not null
) without rowid;
create index routes_by_session on routes (session, at) where session is not null;
create index routes_by_time on routes (at);
create table response_cache (
  key text primary key,
  value text not null,
  at integer not null,
  until integer not null
) without rowid;
create index response_cache_by_until on response_cache (until);
create table breakers (
  provider text primary key,
  failures integer not null,
  failed_at integer,
  opened integer not null,
  until integer,
  probe_until integer,
  why text,
  version integer not null
) without rowid;
create table retired_models (
  id text primary key,
  at integer not null,
  message text not null
) without rowid;
create table route_preferences (
  id text primary key,
  task_type text not null,
  complexity text not null,
  model text not null,
  instead_of text not null,
  kind text not null,
  why text not null,
  at integer not null
) without rowid;
`;
