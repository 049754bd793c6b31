export const repeats = `create table repeats (
  kind text not null,
  key text not null,
  host text not null,
  session text not null,
  event bigint not null,
  at bigint not null,
  workspace text,
  times bigint not null,
  primary key (kind, key, session, host)
);

create index repeats_by_event on repeats (kind, event);
create index recoveries_by_recovery on recoveries (recovery);
`;
