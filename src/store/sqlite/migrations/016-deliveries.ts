/** How a rule was delivered, to which agent and with which call; outcomes are grouped by delivery. */
export const deliveries = `alter table shown add column delivery text not null default 'note';
alter table shown add column agent text;
alter table shown add column call text;
update shown set delivery = level where kind = 'rule' and moment = 'before-call' and level in ('ask', 'deny');
alter table reinforced add column delivery text;
`;
