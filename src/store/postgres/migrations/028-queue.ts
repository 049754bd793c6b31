/** The queue of work replaces claims and slots, which nothing used. pg-boss keeps its tables in a schema of its own. */
export const queue = `
drop table claims;
drop table slots;
create table claims (
  queue text not null,
  item text not null,
  attempt bigint not null,
  token text not null,
  worker text not null,
  lease_ms bigint not null,
  claimed_at bigint not null,
  until bigint not null,
  primary key (queue, item)
);
`;
