/** Where the machines that share a mind keep the same repository. Empty if the mind is a file. */
export const workspaces = `
create table workspaces (
  machine text not null,
  path text not null,
  remote text not null,
  name text not null,
  scope text not null,
  name_scope text not null,
  at bigint not null,
  primary key (machine, path)
);
create index workspaces_by_remote on workspaces (remote);
create index workspaces_by_name on workspaces (name);
create table session_places (
  session text not null,
  host text not null,
  path text not null,
  name text not null,
  primary key (session, host, path)
);
`;
