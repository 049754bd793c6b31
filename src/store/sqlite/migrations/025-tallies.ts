/** Of each tally: which outcomes are verified, and what its calls cost compared with their list price. */
export const tallies = `
alter table route_tallies add column judged real not null default 0;
alter table route_tallies add column cost_ratio real not null default 0;
update route_tallies set cost_ratio = calls, judged = min(outcomes, (
  select count(distinct q.call) from routes r join model_quality q on q.call = r.call
  where q.source <> 'heuristic' and r.task_type = route_tallies.task_type and r.complexity = route_tallies.complexity
    and r.model = route_tallies.model and r.attempt = route_tallies.attempt
));
`;
