/** For daily figures: whether an answer was used, once known, and indexes on time. */
export const days = `alter table answers add column used bigint;
create index answers_by_time on answers (at);
create index reinforced_by_time on reinforced (at);
create index shown_by_time on shown (at);
`;
