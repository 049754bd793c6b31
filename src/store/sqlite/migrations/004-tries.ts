export const tries = `create table tries (
  grp text not null,
  event integer not null,
  failed integer not null,
  state text,
  primary key (grp, event)
) without rowid;

create table tried_groups (
  grp text primary key,
  failed integer not null,
  worked integer not null,
  mined integer not null
) without rowid;

create table rule_sessions (
  rule text not null,
  host text not null,
  session text not null,
  at integer not null,
  opportunities integer not null,
  attempts integer not null,
  failed integer not null,
  worked integer not null,
  primary key (rule, session, host)
) without rowid;

create table rule_marks (
  rule text primary key,
  matcher text not null,
  up_to integer not null,
  recent integer not null,
  held_since integer
) without rowid;

create table overrides (
  id text primary key,
  rule text not null,
  reason text,
  created_at integer not null,
  used_at integer,
  used_host text,
  used_session text
) without rowid;
create index overrides_open on overrides (rule) where used_at is null;

create table reinforced (
  rule text not null,
  host text not null,
  session text not null,
  at integer not null,
  broken integer not null,
  primary key (rule, session, host)
) without rowid;
`;
