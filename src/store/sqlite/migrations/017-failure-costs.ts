/** The cost of failures counted against a rule. For failures counted before this migration it is unknown. */
export const failureCosts = `alter table rule_sessions add column costed integer not null default 0;
alter table rule_sessions add column characters integer not null default 0;
alter table rule_sessions add column ms integer not null default 0;
alter table rule_sessions add column lost_calls integer not null default 0;
`;
