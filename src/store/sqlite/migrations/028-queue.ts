/** The queue of work replaces claims and slots, which nothing used. */
export const queue = `
drop table claims;
drop table slots;
create table queue_items (
  queue text not null,
  item text not null,
  attempt integer not null,
  last_attempt integer not null,
  state text not null,
  priority integer not null,
  due integer not null,
  reason text,
  created_at integer not null,
  ended_at integer,
  primary key (queue, item)
) without rowid;
create index queue_items_next on queue_items (queue, priority desc, created_at) where state = 'waiting';
create index queue_items_ended on queue_items (ended_at) where ended_at is not null;
create table claims (
  queue text not null,
  item text not null,
  attempt integer not null,
  token text not null,
  worker text not null,
  lease_ms integer not null,
  claimed_at integer not null,
  until integer not null,
  primary key (queue, item)
) without rowid;
`;
