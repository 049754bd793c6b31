/** Which version of its host a session ran on, and what a rule lost because its hosts moved on. */
export const hostVersions = `create table session_versions (
  host text not null,
  session text not null,
  version text not null,
  at bigint not null,
  primary key (session, host, version)
);
create index session_versions_recent on session_versions (host, at);

alter table rules add column doubt text;
`;
