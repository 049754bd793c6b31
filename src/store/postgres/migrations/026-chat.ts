/** Sessions of oldhand's own agent: their entries, messages that wait for them, approvals, and files as they were before a turn. */
export const chat = `
create table chat_sessions (
  id text primary key,
  at bigint not null,
  used_at bigint not null,
  title text not null,
  cwd text not null,
  workspace text not null,
  mode text not null,
  model text,
  parent text,
  entries bigint not null
);
create index chat_sessions_by_use on chat_sessions (used_at);
create index chat_sessions_by_workspace on chat_sessions (workspace, used_at);
create table chat_entries (
  session text not null,
  seq bigint not null,
  at bigint not null,
  kind text not null,
  data text not null,
  primary key (session, seq)
);
create table chat_inbox (
  id text primary key,
  session text not null,
  at bigint not null,
  kind text not null,
  text text not null,
  taken bigint
);
create index chat_inbox_by_session on chat_inbox (session, at);
create table approvals (
  id text primary key,
  at bigint not null,
  until bigint not null,
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
  answered_at bigint,
  answered_by text,
  used_at bigint
);
create index approvals_by_status on approvals (status, at);
create index approvals_by_session on approvals (session, at) where session is not null;
create table checkpoints (
  session text not null,
  turn bigint not null,
  path text not null,
  at bigint not null,
  before text,
  after text,
  mode bigint,
  undone_at bigint,
  primary key (session, turn, path)
);
`;
