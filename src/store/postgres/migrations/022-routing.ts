/** What the router learned and chose, answers that may be used again, failures of providers, retired models, and models that the owner prefers for a kind of task. */
export const routing = `
create table route_tallies (
  task_type text not null,
  complexity text not null,
  model text not null,
  attempt text not null,
  tries bigint not null,
  explored bigint not null,
  outcomes double precision not null,
  quality double precision not null,
  calls double precision not null,
  cost double precision not null,
  latency_ms double precision not null,
  at bigint not null,
  version bigint not null,
  primary key (task_type, complexity, model, attempt)
);
create table routes (
  call text primary key,
  at bigint not null,
  agent text not null,
  session text,
  task_type text not null,
  complexity text not null,
  model text not null,
  best text,
  attempt text not null,
  explored bigint not null,
  cached_tokens bigint not null
);
create index routes_by_session on routes (session, at) where session is not null;
create index routes_by_time on routes (at);
create table response_cache (
  key text primary key,
  value text not null,
  at bigint not null,
  until bigint not null
);
create index response_cache_by_until on response_cache (until);
create table breakers (
  provider text primary key,
  failures bigint not null,
  failed_at bigint,
  opened bigint not null,
  until bigint,
  probe_until bigint,
  why text,
  version bigint not null
);
create table retired_models (
  id text primary key,
  at bigint not null,
  message text not null
);
create table route_preferences (
  id text primary key,
  task_type text not null,
  complexity text not null,
  model text not null,
  instead_of text not null,
  kind text not null,
  why text not null,
  at bigint not null
);
`;
