export const summaries = `create table summaries (
  session text not null,
  host text not null,
  day text not null,
  workspace text,
  summary text not null,
  primary key (session, host, day)
);
create index summaries_by_day on summaries (day);
`;
