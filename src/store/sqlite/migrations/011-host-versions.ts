/** The host version of each session, and the confidence a rule lost because its hosts were upgraded. */
export const hostVersions = `create table session_versions (
  host text not null,
  session text not null,
  version text not null,
  at integer not null,
  primary key (session, host, version)
) without rowid;
create index session_versions_recent on session_versions (host, at);

alter table rules add column doubt text;
`;
