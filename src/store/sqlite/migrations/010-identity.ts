export const identity = `create table identities (
  id text primary key,
  text text not null
) without rowid;

create table identity_proposals (
  id text primary key,
  file text not null,
  before text not null,
  after text not null,
  reason text not null,
  origin text not null,
  actor text not null,
  rule text,
  status text not null,
  refusal text,
  created_at integer not null
) without rowid;
`;
