/** The cost of failures counted against a rule. For failures counted before this migration it is unknown. */
export const failureCosts = `alter table rule_sessions add column costed bigint not null default 0;
alter table rule_sessions add column characters bigint not null default 0;
alter table rule_sessions add column ms bigint not null default 0;
alter table rule_sessions add column lost_calls bigint not null default 0;
`;
