/** What cycles do: their rows, the attempts at tasks, the log of what was done, snapshots, and one chat session per day. */
export const cycles = `
create table cycles (
  id text primary key,
  number integer not null,
  began_at bigint not null,
  ended_at bigint,
  worker text not null,
  step text not null,
  action text,
  rule text,
  goal text,
  task text,
  attempt text,
  session text,
  model text,
  cost double precision not null,
  outcome text,
  reason text
);
create unique index cycles_by_number on cycles (number);
create index cycles_by_action on cycles (action, number);
create index cycles_open on cycles (began_at) where ended_at is null;
create table task_attempts (
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
  cost double precision not null,
  reason text,
  began_at bigint not null,
  ended_at bigint
);
create unique index task_attempts_by_task on task_attempts (task, number);
create unique index task_attempts_open on task_attempts (task) where state = 'open';
create table execution_log (
  id text primary key,
  at bigint not null,
  cycle text,
  action text not null,
  summary text not null,
  details text not null,
  ms bigint,
  goal text,
  task text,
  source text
);
create index execution_log_by_time on execution_log (at);
create table snapshots (
  id text primary key,
  at bigint not null,
  cycle_count integer not null,
  content text not null,
  body text not null,
  source text
);
create index snapshots_by_time on snapshots (at);
create table day_sessions (
  agent text not null,
  day text not null,
  session text not null,
  handoff text,
  began_at bigint not null,
  primary key (agent, day)
);
`;
