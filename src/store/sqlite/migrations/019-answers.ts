/** What was offered with failed calls, given or kept back: whether later calls used it is read off the events. */
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
