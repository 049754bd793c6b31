/** `shown` holds more than rules; session summaries. */
export const advice = `alter table shown rename column rule to subject;
alter table shown add column kind text not null default 'rule';

create table session_summaries (
  host text not null,
  session text not null,
  workspace text,
  day text not null,
  started_at integer not null,
  last_at integer not null,
  up_to integer not null,
  text text not null,
  topics text not null,
  decisions text not null,
  threads text not null,
  primary key (session, host)
);
create index session_summaries_by_workspace on session_summaries (workspace, last_at);
create index session_summaries_by_day on session_summaries (day, last_at);
`;
