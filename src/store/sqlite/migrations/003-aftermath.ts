export const aftermath = `create table recoveries (
  failure integer primary key,
  recovery integer not null,
  apart integer not null,
  calls integer not null,
  ms integer not null,
  characters integer not null,
  through text
);

create table episodes (
  host text not null,
  session text not null,
  day text not null,
  events integer not null,
  bytes integer not null,
  packed_at integer not null,
  data blob not null,
  primary key (session, host, day)
);
create index episodes_by_age on episodes (packed_at);

alter table sessions add column packed integer not null default 0;
create index sessions_unpacked on sessions (last_at) where events > packed;

create table imports (
  machine text not null,
  path text not null,
  size integer not null,
  changed_at integer not null,
  primary key (machine, path)
) without rowid;
`;
