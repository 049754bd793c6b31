/** Sessions of oldhand's own agent: their entries, messages that wait for them, approvals, and files as they were before a turn. */
export const chat = `
create table chat_sessions (
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
create index chat_sessions_by_use on chat_sessions (used_at);
create index chat_sessions_by_workspace on chat_sessions (workspace, used_at);
create table chat_entries (
  session text not null,
  seq integer not null,
  at integer not null,
  kind text not null,
  data text not null,
  primary key (session, seq)
) without rowid;
create table chat_inbox (
  id text primary key,
  session text not null,
  at integer not null,
  kind text not null,
  text text not null,
  taken integer
) without rowid;
create index chat_inbox_by_session on chat_inbox (session, at);
create table approvals (
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
create index approvals_by_status on approvals (status, at);
create index approvals_by_session on approvals (session, at) where session is not null;
create table checkpoints (
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
`;
