/** Jobs, what became of each of their due times, pauses, alerts, workers, and messages between agents. */
export const jobs = `
create table jobs (
  id text primary key,
  name text not null unique,
  cron text not null,
  zone text not null,
  work text not null,
  late text not null,
  model text,
  enabled bigint not null,
  made_at bigint not null
);
create table job_states (
  job text primary key,
  planned_until bigint not null,
  failures bigint not null,
  opened_at bigint,
  alerted_at bigint
);
create table job_slots (
  job text not null,
  slot bigint not null,
  fate text not null,
  reason text,
  detail text,
  late bigint not null,
  by_hand bigint not null,
  attempt bigint not null,
  worker text,
  started_at bigint,
  ended_at bigint,
  primary key (job, slot)
);
create index job_slots_by_time on job_slots (slot);
create index job_slots_open on job_slots (job, slot) where fate in ('due', 'running');
create table pauses (
  id text primary key,
  since bigint not null,
  until bigint,
  ended_at bigint,
  made_by text not null
);
create table alerts (
  id text primary key,
  at bigint not null,
  subject text not null,
  text text not null,
  seen_at bigint
);
create index alerts_unseen on alerts (at) where seen_at is null;
create table workers (
  id text primary key,
  process text not null,
  started_at bigint not null,
  beat_at bigint not null,
  doing text
);
create table messages (
  id text primary key,
  at bigint not null,
  kind text not null,
  sender text not null,
  origin text not null,
  recipient text,
  text text not null,
  reply_to text,
  taken_by text,
  taken_at bigint
);
create index messages_by_time on messages (at);
create index messages_waiting on messages (at) where taken_by is null;
create unique index messages_replies on messages (reply_to) where reply_to is not null;
create table message_receipts (
  message text not null,
  recipient text not null,
  at bigint not null,
  primary key (message, recipient)
);
`;
