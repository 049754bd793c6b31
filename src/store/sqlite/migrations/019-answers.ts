/** Answers to failed calls, shown or withheld (control group); events tell whether later calls used them. */
export const answers = `create table answers (
  id integer primary key autoincrement,
  event integer not null,
  uid text not null,
  at integer not null,
  host text not null,
  session text not null,
  agent text,
  cause text not null,
  given integer not null,
  tokens integer not null,
  file text,
  texts text not null
);
create index answers_by_event on answers (event);
`;
