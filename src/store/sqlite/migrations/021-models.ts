/** Model calls with their attempts and their quality, and what they may cost. Amounts are billionths of a dollar. */
export const models = `
create table model_calls (
  id text primary key,
  at integer not null,
  way text not null,
  agent text not null,
  session text,
  job text,
  goal text,
  task_type text not null,
  complexity text not null,
  provider text not null,
  model text not null,
  outcome text not null,
  failure text,
  ms integer not null,
  first_token_ms integer,
  tokens_in integer not null,
  tokens_out integer not null,
  tokens_cached integer not null,
  tokens_cache_write integer not null,
  tokens_cache_write_1h integer not null,
  tokens_reasoning integer not null,
  cost_nanos integer not null,
  price_known integer not null,
  list_price integer not null,
  healed integer not null,
  explored integer not null,
  route text not null
) without rowid;
create index model_calls_by_time on model_calls (at);
create index model_calls_by_agent on model_calls (agent, at);
create index model_calls_by_session on model_calls (session, at) where session is not null;
create table model_attempts (
  call text not null,
  number integer not null,
  provider text not null,
  model text not null,
  at integer not null,
  ms integer not null,
  failure text,
  tokens_in integer not null,
  tokens_out integer not null,
  tokens_cached integer not null,
  tokens_cache_write integer not null,
  tokens_cache_write_1h integer not null,
  tokens_reasoning integer not null,
  cost_nanos integer not null,
  price text,
  primary key (call, number)
) without rowid;
create table model_quality (
  id integer primary key autoincrement,
  call text not null,
  at integer not null,
  quality real not null,
  source text not null,
  note text
);
create index model_quality_by_call on model_quality (call, at);
create table model_days (
  day text not null,
  agent text not null,
  provider text not null,
  model text not null,
  task_type text not null,
  list_price integer not null,
  calls integer not null,
  answered integer not null,
  failed integer not null,
  capped integer not null,
  cached integer not null,
  healed integer not null,
  attempts integer not null,
  failed_attempts integer not null,
  unknown_prices integer not null,
  ms integer not null,
  tokens_in integer not null,
  tokens_out integer not null,
  tokens_cached integer not null,
  tokens_cache_write integer not null,
  tokens_reasoning integer not null,
  cost_nanos integer not null,
  primary key (day, agent, provider, model, task_type, list_price)
) without rowid;
create table model_caps (
  id text primary key,
  kind text not null,
  name text not null,
  limit_nanos integer,
  counts text not null,
  strict integer not null,
  extension_day text,
  extension_nanos integer
) without rowid;
create table model_budgets (
  kind text not null,
  name text not null,
  day text not null,
  list_price integer not null,
  spent_nanos integer not null,
  lost_nanos integer not null,
  primary key (kind, name, day, list_price)
) without rowid;
create table model_reservations (
  id text primary key,
  call text not null,
  attempt integer not null,
  agent text not null,
  job text,
  goal text,
  day text not null,
  list_price integer not null,
  amount_nanos integer not null,
  state text not null,
  at integer not null,
  until integer not null
) without rowid;
create index model_reservations_by_state on model_reservations (state, until);
`;
