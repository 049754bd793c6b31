CREATE TABLE alerts (
  id text primary key,
  at integer not null,
  subject text not null,
  text text not null,
  seen_at integer
);

CREATE INDEX alerts_unseen on alerts (at) where seen_at is null;

CREATE TABLE answers (
  id integer primary key autoincrement,
  event integer not null,
  uid text not null,
  at integer not null,
  host text not null,
  session text not null,
  agent text,
  cause text not null,
  given integer not null,
  tokens integer not null,
  file text,
  texts text not null
, used integer);

CREATE INDEX answers_by_event on answers (event);

CREATE INDEX answers_by_time on answers (at);

CREATE TABLE approvals (
  id text primary key,
  at integer not null,
  until integer not null,
  session text,
  agent text not null,
  workspace text,
  action text not null,
  effect text not null,
  summary text not null,
  detail text not null,
  reason text not null,
  status text not null,
  grants text,
  answered_at integer,
  answered_by text,
  used_at integer
) without rowid;

CREATE INDEX approvals_by_session on approvals (session, at) where session is not null;

CREATE INDEX approvals_by_status on approvals (status, at);

CREATE TABLE breakers (
  provider text primary key,
  failures integer not null,
  failed_at integer,
  opened integer not null,
  until integer,
  probe_until integer,
  why text,
  version integer not null
, probe_by text) without rowid;

CREATE TABLE chat_entries (
  session text not null,
  seq integer not null,
  at integer not null,
  kind text not null,
  data text not null,
  primary key (session, seq)
) without rowid;

CREATE TABLE chat_inbox (
  id text primary key,
  session text not null,
  at integer not null,
  kind text not null,
  text text not null,
  taken integer
) without rowid;

CREATE INDEX chat_inbox_by_session on chat_inbox (session, at);

CREATE TABLE chat_sessions (
  id text primary key,
  at integer not null,
  used_at integer not null,
  title text not null,
  cwd text not null,
  workspace text not null,
  mode text not null,
  model text,
  parent text,
  entries integer not null
) without rowid;

CREATE INDEX chat_sessions_by_use on chat_sessions (used_at);

CREATE INDEX chat_sessions_by_workspace on chat_sessions (workspace, used_at);

CREATE TABLE checkpoints (
  session text not null,
  turn integer not null,
  path text not null,
  at integer not null,
  before text,
  after text,
  mode integer,
  undone_at integer,
  primary key (session, turn, path)
) without rowid;

CREATE TABLE claims (
  queue text not null,
  item text not null,
  attempt integer not null,
  token text not null,
  worker text not null,
  lease_ms integer not null,
  claimed_at integer not null,
  until integer not null,
  primary key (queue, item)
) without rowid;

CREATE TABLE cycles (
  id text primary key,
  number integer not null,
  began_at integer not null,
  ended_at integer,
  worker text not null,
  step text not null,
  action text,
  rule text,
  goal text,
  task text,
  attempt text,
  session text,
  model text,
  cost real not null,
  outcome text,
  reason text
);

CREATE INDEX cycles_by_action on cycles (action, number);

CREATE UNIQUE INDEX cycles_by_number on cycles (number);

CREATE INDEX cycles_open on cycles (began_at) where ended_at is null;

CREATE TABLE day_sessions (
  agent text not null,
  day text not null,
  session text not null,
  handoff text,
  began_at integer not null,
  primary key (agent, day)
);

CREATE TABLE episodes (
  host text not null,
  session text not null,
  day text not null,
  events integer not null,
  bytes integer not null,
  packed_at integer not null,
  data blob not null,
  primary key (session, host, day)
);

CREATE INDEX episodes_by_age on episodes (packed_at);

CREATE TABLE events (
  id integer primary key autoincrement,
  host text not null,
  session text not null,
  uid text not null,
  seq integer,
  at integer not null,
  kind text not null,
  workspace text,
  cwd text,
  tool text,
  head text,
  input text,
  ok integer,
  outcome text,
  benign integer not null default 0,
  exit_code integer,
  error text,
  signature text,
  text text,
  model text,
  agent text,
  duration_ms integer
);

CREATE INDEX events_by_agent on events (agent, id) where host = 'oldhand' and agent is not null;

CREATE INDEX events_failures on events (signature, id) where outcome = 'failed' and benign = 0;

CREATE UNIQUE INDEX events_identity on events (session, host, uid);

CREATE TABLE execution_log (
  id text primary key,
  at integer not null,
  cycle text,
  action text not null,
  summary text not null,
  details text not null,
  ms integer,
  goal text,
  task text,
  source text
);

CREATE INDEX execution_log_by_time on execution_log (at);

CREATE TABLE facts (
  workspace text not null,
  kind text not null,
  subject text not null,
  host text not null,
  session text not null,
  event integer not null,
  at integer not null,
  name text not null,
  met_by text not null,
  instead text,
  primary key (workspace, kind, subject, session, host)
) without rowid;

CREATE INDEX facts_by_event on facts (event);

CREATE TABLE failure_groups (
  signature text primary key,
  failures integer not null,
  sessions integer not null,
  first_at integer not null,
  last_at integer not null,
  calls integer not null,
  ms integer not null,
  characters integer not null,
  changed integer not null
) without rowid;

CREATE INDEX failure_groups_by_cost on failure_groups (calls desc, ms desc, characters desc, signature) where failures > 1 and sessions > 1;

CREATE TABLE failure_sessions (
  signature text not null,
  session text not null,
  failures integer not null,
  primary key (signature, session)
) without rowid;

CREATE TABLE failures (
  event integer primary key,
  signature text not null,
  host text not null,
  session text not null,
  workspace text,
  at integer not null,
  ms integer not null,
  characters integer not null
);

CREATE INDEX failures_by_signature on failures (signature, event);

CREATE INDEX failures_by_signature_time on failures (signature, at);

CREATE INDEX failures_by_time on failures (at);

CREATE INDEX failures_by_workspace on failures (workspace, at);

CREATE TABLE goal_comments (
  id text primary key,
  at integer not null,
  goal text not null,
  kind text not null,
  author text not null,
  text text not null,
  acknowledged_at integer,
  acknowledged_by text,
  answer text
);

CREATE INDEX goal_comments_by_goal on goal_comments (goal, at);

CREATE INDEX goal_comments_open on goal_comments (at) where acknowledged_at is null;

CREATE TABLE goals (
  id text primary key,
  title text not null,
  description text not null,
  status text not null,
  priority integer not null,
  created_by text not null,
  parent text,
  depends_on text not null,
  folder text,
  reason text,
  metadata text not null,
  made_at integer not null,
  ended_at integer
);

CREATE TABLE identities (
  id text primary key,
  text text not null
) without rowid;

CREATE TABLE identity_proposals (
  id text primary key,
  file text not null,
  before text not null,
  after text not null,
  reason text not null,
  origin text not null,
  actor text not null,
  rule text,
  status text not null,
  refusal text,
  created_at integer not null
) without rowid;

CREATE TABLE imports (
  machine text not null,
  path text not null,
  size integer not null,
  changed_at integer not null,
  primary key (machine, path)
) without rowid;

CREATE TABLE job_slots (
  job text not null,
  slot integer not null,
  fate text not null,
  reason text,
  detail text,
  late integer not null,
  by_hand integer not null,
  attempt integer not null,
  worker text,
  started_at integer,
  ended_at integer,
  primary key (job, slot)
) without rowid;

CREATE INDEX job_slots_by_time on job_slots (slot);

CREATE INDEX job_slots_open on job_slots (job, slot) where fate in ('due', 'running');

CREATE TABLE job_states (
  job text primary key,
  planned_until integer not null,
  failures integer not null,
  opened_at integer,
  alerted_at integer
);

CREATE TABLE jobs (
  id text primary key,
  name text not null unique,
  cron text not null,
  zone text not null,
  work text not null,
  late text not null,
  model text,
  enabled integer not null,
  made_at integer not null
);

CREATE TABLE journal (
  id integer primary key autoincrement,
  at integer not null,
  actor text not null,
  cause_kind text not null,
  cause_id text,
  cause_note text,
  noun text not null,
  subject text not null,
  before text,
  after text,
  undoes integer,
  scrubbed integer not null default 0
);

CREATE INDEX journal_by_subject on journal (noun, subject, id);

CREATE INDEX journal_by_undone on journal (undoes) where undoes is not null;

CREATE TABLE kept_answers (
  kind text not null,
  key text not null,
  version text not null,
  value text not null,
  primary key (kind, key)
) without rowid;

CREATE TABLE kv (
  space text not null,
  key text not null,
  value text not null,
  bytes integer not null,
  until integer not null,
  written_at integer not null,
  primary key (space, key)
) without rowid;

CREATE INDEX kv_by_end on kv (until);

CREATE TABLE leases (
  name text primary key,
  owner text not null,
  token text not null,
  until integer not null
) without rowid;

CREATE TABLE memories (
  number integer primary key,
  id text not null unique,
  key text not null,
  text text not null,
  kind text not null,
  category text,
  importance integer not null,
  confidence real not null,
  tags text not null,
  scope_kind text not null,
  scope_name text not null,
  origin text not null,
  trust text not null,
  supersedes text not null,
  pinned integer not null,
  status text not null,
  created_at integer not null
);

CREATE INDEX memories_by_importance on memories (scope_kind, scope_name, status, importance desc, confidence desc, created_at desc, id);

CREATE INDEX memories_pinned on memories (scope_kind, scope_name, status, importance desc, confidence desc, created_at desc, id) where pinned = 1;

CREATE TABLE memory_uses (
  id integer primary key autoincrement,
  memory text not null,
  at integer not null,
  deed text not null,
  host text,
  session text
);

CREATE INDEX memory_uses_by_memory on memory_uses (memory, deed, at);

CREATE TABLE message_receipts (
  message text not null,
  recipient text not null,
  at integer not null,
  primary key (message, recipient)
) without rowid;

CREATE TABLE messages (
  id text primary key,
  at integer not null,
  kind text not null,
  sender text not null,
  origin text not null,
  recipient text,
  text text not null,
  reply_to text,
  taken_by text,
  taken_at integer
);

CREATE INDEX messages_by_time on messages (at);

CREATE UNIQUE INDEX messages_replies on messages (reply_to) where reply_to is not null;

CREATE INDEX messages_waiting on messages (at) where taken_by is null;

CREATE TABLE meta (
  key text primary key,
  value text not null
) without rowid;

CREATE TABLE mistakes (
  id text primary key,
  at integer not null,
  what text not null,
  why text not null,
  should_have text not null,
  pattern text not null,
  severity text not null,
  signal text not null,
  prediction text,
  outcome text,
  surprise real,
  origin text not null,
  session text,
  workspace text
) without rowid;

CREATE TABLE model_attempts (
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

CREATE TABLE model_budgets (
  kind text not null,
  name text not null,
  day text not null,
  list_price integer not null,
  spent_nanos integer not null,
  lost_nanos integer not null,
  primary key (kind, name, day, list_price)
) without rowid;

CREATE TABLE model_calls (
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
, repeats text) without rowid;

CREATE INDEX model_calls_by_agent on model_calls (agent, at);

CREATE INDEX model_calls_by_session on model_calls (session, at) where session is not null;

CREATE INDEX model_calls_by_time on model_calls (at);

CREATE TABLE model_caps (
  id text primary key,
  kind text not null,
  name text not null,
  limit_nanos integer,
  counts text not null,
  strict integer not null,
  extension_day text,
  extension_nanos integer
) without rowid;

CREATE TABLE model_days (
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

CREATE TABLE model_quality (
  id integer primary key autoincrement,
  call text not null,
  at integer not null,
  quality real not null,
  source text not null,
  note text
);

CREATE INDEX model_quality_by_call on model_quality (call, at);

CREATE TABLE model_reservations (
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
, holder text) without rowid;

CREATE INDEX model_reservations_by_state on model_reservations (state, until);

CREATE TABLE overrides (
  id text primary key,
  rule text not null,
  reason text,
  created_at integer not null,
  used_at integer,
  used_host text,
  used_session text
) without rowid;

CREATE INDEX overrides_open on overrides (rule) where used_at is null;

CREATE VIRTUAL TABLE passage_words using fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);

CREATE TABLE passages (
  id integer primary key autoincrement,
  noun text not null,
  subject text not null,
  scope text not null,
  text text not null
);

CREATE INDEX passages_by_scope on passages (noun, scope, id);

CREATE UNIQUE INDEX passages_identity on passages (noun, subject);

CREATE TABLE pauses (
  id text primary key,
  since integer not null,
  until integer,
  ended_at integer,
  made_by text not null
);

CREATE TABLE purged (
  session text primary key,
  up_to integer not null
) without rowid;

CREATE TABLE queue_items (
  queue text not null,
  item text not null,
  attempt integer not null,
  last_attempt integer not null,
  state text not null,
  priority integer not null,
  due integer not null,
  reason text,
  created_at integer not null,
  ended_at integer,
  primary key (queue, item)
) without rowid;

CREATE INDEX queue_items_ended on queue_items (ended_at) where ended_at is not null;

CREATE INDEX queue_items_next on queue_items (queue, priority desc, created_at) where state = 'waiting';

CREATE TABLE recoveries (
  failure integer primary key,
  recovery integer not null,
  apart integer not null,
  calls integer not null,
  ms integer not null,
  characters integer not null,
  through text
);

CREATE INDEX recoveries_by_recovery on recoveries (recovery);

CREATE TABLE reinforced (
  rule text not null,
  host text not null,
  session text not null,
  at integer not null,
  broken integer not null, delivery text,
  primary key (rule, session, host)
) without rowid;

CREATE INDEX reinforced_by_time on reinforced (at);

CREATE TABLE repeats (
  kind text not null,
  key text not null,
  host text not null,
  session text not null,
  event integer not null,
  at integer not null,
  workspace text,
  times integer not null,
  primary key (kind, key, session, host)
) without rowid;

CREATE INDEX repeats_by_event on repeats (kind, event);

CREATE TABLE response_cache (
  key text primary key,
  value text not null,
  at integer not null,
  until integer not null
) without rowid;

CREATE INDEX response_cache_by_until on response_cache (until);

CREATE TABLE retired_models (
  id text primary key,
  at integer not null,
  message text not null
, url text) without rowid;

CREATE TABLE route_preferences (
  id text primary key,
  task_type text not null,
  complexity text not null,
  model text not null,
  instead_of text not null,
  kind text not null,
  why text not null,
  at integer not null
) without rowid;

CREATE TABLE route_tallies (
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
  version integer not null, judged real not null default 0, cost_ratio real not null default 0, fall real not null default 0, fall_outcomes real not null default 0, fall_quality real not null default 0, fell_from real, fell_at integer,
  primary key (task_type, complexity, model, attempt)
) without rowid;

CREATE TABLE routes (
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

CREATE INDEX routes_by_session on routes (session, at) where session is not null;

CREATE INDEX routes_by_time on routes (at);

CREATE TABLE rule_marks (
  rule text primary key,
  matcher text not null,
  up_to integer not null,
  recent integer not null,
  held_since integer
, changed integer not null default 0) without rowid;

CREATE TABLE rule_sessions (
  rule text not null,
  host text not null,
  session text not null,
  at integer not null,
  opportunities integer not null,
  attempts integer not null,
  failed integer not null,
  worked integer not null, costed integer not null default 0, characters integer not null default 0, ms integer not null default 0, lost_calls integer not null default 0, chances integer, mistakes integer, last_call text,
  primary key (rule, session, host)
) without rowid;

CREATE TABLE rules (
  id text primary key,
  text text not null,
  status text not null,
  level text not null,
  confidence real not null,
  salience real not null,
  origin text not null,
  scope text not null,
  signature text,
  matcher text,
  evidence text not null,
  pinned integer not null default 0,
  merged_into text,
  created_at integer not null
, doubt text) without rowid;

CREATE INDEX rules_by_status on rules (status);

CREATE TABLE session_calls (
  session text not null,
  host text not null,
  day integer not null,
  workspace text not null,
  tool text not null,
  calls integer not null,
  failures integer not null,
  ms integer not null,
  lost integer not null,
  last_at integer not null,
  primary key (session, host, day, workspace, tool)
) without rowid;

CREATE INDEX session_calls_by_day on session_calls (day);

CREATE INDEX session_calls_by_workspace on session_calls (workspace, day);

CREATE TABLE session_places (
  session text not null,
  host text not null,
  path text not null,
  name text not null,
  primary key (session, host, path)
) without rowid;

CREATE TABLE session_summaries (
  host text not null,
  session text not null,
  workspace text,
  day text not null,
  started_at integer not null,
  last_at integer not null,
  up_to integer not null,
  text text not null,
  topics text not null,
  decisions text not null,
  threads text not null,
  primary key (session, host)
);

CREATE INDEX session_summaries_by_day on session_summaries (day, last_at);

CREATE INDEX session_summaries_by_workspace on session_summaries (workspace, last_at);

CREATE TABLE session_versions (
  host text not null,
  session text not null,
  version text not null,
  at integer not null,
  primary key (session, host, version)
) without rowid;

CREATE INDEX session_versions_recent on session_versions (host, at);

CREATE TABLE session_workspaces (
  workspace text not null,
  session text not null,
  host text not null,
  primary key (workspace, session, host)
) without rowid;

CREATE TABLE sessions (
  host text not null,
  id text not null,
  workspace text,
  cwd text,
  model text,
  started_at integer not null,
  last_at integer not null,
  ended_at integer,
  events integer not null,
  failures integer not null, packed integer not null default 0,
  primary key (id, host)
) without rowid;

CREATE INDEX sessions_by_host on sessions (host, last_at, events, failures);

CREATE INDEX sessions_by_workspace on sessions (workspace, last_at);

CREATE INDEX sessions_recent on sessions (last_at);

CREATE INDEX sessions_unpacked on sessions (last_at) where events > packed;

CREATE TABLE settings (
  id text primary key,
  state text not null
) without rowid;

CREATE TABLE shown (
  id integer primary key autoincrement,
  at integer not null,
  host text not null,
  session text not null,
  subject text not null,
  moment text not null,
  level text not null,
  tokens integer not null
, kind text not null default 'rule', delivery text not null default 'note', agent text, call text);

CREATE INDEX shown_by_session on shown (session, subject);

CREATE INDEX shown_by_time on shown (at);

CREATE TABLE snapshots (
  id text primary key,
  at integer not null,
  cycle_count integer not null,
  content text not null,
  body text not null,
  source text
);

CREATE INDEX snapshots_by_time on snapshots (at);

CREATE TABLE task_attempts (
  id text primary key,
  task text not null,
  goal text not null,
  number integer not null,
  cycle text not null,
  state text not null,
  strategy text,
  base text,
  branch text,
  folder text,
  session text,
  commit_id text,
  model text,
  cost real not null,
  reason text,
  began_at integer not null,
  ended_at integer
);

CREATE UNIQUE INDEX task_attempts_by_task on task_attempts (task, number);

CREATE UNIQUE INDEX task_attempts_open on task_attempts (task) where state = 'open';

CREATE TABLE tasks (
  id text primary key,
  goal text not null,
  title text not null,
  description text not null,
  status text not null,
  proof text,
  bound_check text not null,
  check_hash text not null,
  base text,
  position integer not null,
  depends_on text not null,
  tier text not null,
  created_by text not null,
  result text,
  reason text,
  metadata text not null,
  made_at integer not null,
  ended_at integer
);

CREATE INDEX tasks_by_goal on tasks (goal, position);

CREATE TABLE tried_groups (
  grp text primary key,
  failed integer not null,
  worked integer not null,
  mined integer not null
) without rowid;

CREATE TABLE tries (
  grp text not null,
  event integer not null,
  failed integer not null,
  state text,
  primary key (grp, event)
) without rowid;

CREATE TABLE vectors (
  noun text not null,
  subject text not null,
  model text not null,
  dims integer not null,
  vector blob not null, turn integer not null default 0,
  primary key (noun, subject, model)
) without rowid;

CREATE INDEX vectors_by_turn on vectors (noun, model, turn);

CREATE TABLE wins (
  id text primary key,
  at integer not null,
  what text not null,
  why text not null,
  pattern text not null,
  prediction text,
  outcome text,
  surprise real,
  origin text not null,
  session text,
  workspace text
) without rowid;

CREATE TABLE word_totals (
  name text primary key,
  row_count integer not null,
  word_count integer not null
) without rowid;

CREATE VIRTUAL TABLE words using fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);

CREATE TABLE workers (
  id text primary key,
  process text not null,
  started_at integer not null,
  beat_at integer not null,
  doing text
);

CREATE TABLE workspaces (
  machine text not null,
  path text not null,
  remote text not null,
  name text not null,
  scope text not null,
  name_scope text not null,
  at integer not null,
  primary key (machine, path)
) without rowid;

CREATE INDEX workspaces_by_name on workspaces (name);

CREATE INDEX workspaces_by_remote on workspaces (remote);
