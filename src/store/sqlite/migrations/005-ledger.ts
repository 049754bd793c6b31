export const ledger = `create table mistakes (
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

create table wins (
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
`;
