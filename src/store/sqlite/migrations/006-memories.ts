export const memories = `create table memories (
  number integer primary key,
  id text not null unique,
  key text not null,
  text text not null,
  kind text not null,
  category text,
  importance integer not null,
  confidence real not null,
  tags text not null,
  scope_kind text not null,
  scope_name text not null,
  origin text not null,
  trust text not null,
  supersedes text not null,
  pinned integer not null,
  status text not null,
  created_at integer not null
);
create index memories_by_importance on memories (scope_kind, scope_name, status, importance);

create table memory_uses (
  id integer primary key autoincrement,
  memory text not null,
  at integer not null,
  deed text not null,
  host text,
  session text
);
create index memory_uses_by_memory on memory_uses (memory, deed, at);
`;
