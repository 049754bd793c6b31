export const aftermath = `create table recoveries (
  failure bigint primary key,
  recovery bigint not null,
  apart bigint not null,
  calls bigint not null,
  ms bigint not null,
  characters bigint not null,
  through text
);

create table episodes (
  host text not null,
  session text not null,
  day text not null,
  events bigint not null,
  bytes bigint not null,
  packed_at bigint not null,
  data bytea not null,
  primary key (session, host, day)
);
create index episodes_by_age on episodes (packed_at);

alter table sessions add column packed bigint not null default 0;
create index sessions_unpacked on sessions (last_at) where events > packed;

create table imports (
  machine text not null,
  path text not null,
  size bigint not null,
  changed_at bigint not null,
  primary key (machine, path)
);
`;
