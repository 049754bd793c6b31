/** Goals, their tasks, and what people say about them. */
export const goals = `
create table goals (
  id text primary key,
  title text not null,
  description text not null,
  status text not null,
  priority integer not null,
  created_by text not null,
  parent text,
  depends_on text not null,
  folder text,
  reason text,
  metadata text not null,
  made_at bigint not null,
  ended_at bigint
);
create table tasks (
  id text primary key,
  goal text not null,
  title text not null,
  description text not null,
  status text not null,
  proof text,
  bound_check text not null,
  check_hash text not null,
  base text,
  position integer not null,
  depends_on text not null,
  tier text not null,
  created_by text not null,
  result text,
  reason text,
  metadata text not null,
  made_at bigint not null,
  ended_at bigint
);
create index tasks_by_goal on tasks (goal, position);
create table goal_comments (
  id text primary key,
  at bigint not null,
  goal text not null,
  kind text not null,
  author text not null,
  text text not null,
  acknowledged_at bigint,
  acknowledged_by text,
  answer text
);
create index goal_comments_by_goal on goal_comments (goal, at);
create index goal_comments_open on goal_comments (at) where acknowledged_at is null;
`;
