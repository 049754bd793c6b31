/** What a session shows of a rule's effect (`domain/proof/chances.ts`). Null for sessions counted before this migration. */
export const chances = `alter table rule_sessions add column chances bigint;
alter table rule_sessions add column mistakes bigint;
alter table rule_sessions add column last_call text;
`;
