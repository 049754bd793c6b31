/** What failures showed about a workspace: one row for each session that met it. */
export const facts = `create table facts (
  workspace text not null,
  kind text not null,
  subject text not null,
  host text not null,
  session text not null,
  event integer not null,
  at integer not null,
  name text not null,
  met_by text not null,
  instead text,
  primary key (workspace, kind, subject, session, host)
) without rowid;

create index facts_by_event on facts (event);
`;
