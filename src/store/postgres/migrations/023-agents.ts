/** For the memory of named agents: their events, by agent. Events of other hosts are not in the index. */
export const agents = `create index events_by_agent on events (agent, id) where host = 'oldhand' and agent is not null;
`;
