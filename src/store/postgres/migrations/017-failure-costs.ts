/** What the failures that were counted against a rule cost. Those counted before that was written down count as unknown. */
export const failureCosts = `alter table rule_sessions add column costed bigint not null default 0;
alter table rule_sessions add column characters bigint not null default 0;
alter table rule_sessions add column ms bigint not null default 0;
alter table rule_sessions add column lost_calls bigint not null default 0;
`;
