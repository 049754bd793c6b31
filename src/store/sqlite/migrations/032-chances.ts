/** What a session shows of a rule's effect (`domain/proof/chances.ts`). Null for sessions counted before this migration. */
export const chances = `alter table rule_sessions add column chances integer;
alter table rule_sessions add column mistakes integer;
alter table rule_sessions add column last_call text;
`;
