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
  recent integer not null
) without rowid;

create table reinforced (
  rule text not null,
  host text not null,
  session text not null,
  at integer not null,
  broken integer not null,
  primary key (rule, session, host)
) without rowid;
`;
