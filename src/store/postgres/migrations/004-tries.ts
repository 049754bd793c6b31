export const tries = `create table tries (
  grp text not null,
  event bigint not null,
  failed bigint not null,
  state text,
  primary key (grp, event)
);

create table tried_groups (
  grp text primary key,
  failed bigint not null,
  worked bigint not null,
  mined bigint not null
);

create table rule_sessions (
  rule text not null,
  host text not null,
  session text not null,
  at bigint not null,
  opportunities bigint not null,
  attempts bigint not null,
  failed bigint not null,
  worked bigint not null,
  primary key (rule, session, host)
);

create table rule_marks (
  rule text primary key,
  matcher text not null,
  up_to bigint not null,
  recent bigint not null,
  held_since bigint
);

create table overrides (
  id text primary key,
  rule text not null,
  reason text,
  created_at bigint not null,
  used_at bigint,
  used_host text,
  used_session text
);
create index overrides_open on overrides (rule) where used_at is null;

create table reinforced (
  rule text not null,
  host text not null,
  session text not null,
  at bigint not null,
  broken bigint not null,
  primary key (rule, session, host)
);
`;
