/** Of each tally: whether the quality of its model fell. Which call wrote a cached answer. Settings as the journal knows them. */
export const falls = `
alter table route_tallies add column fall double precision not null default 0;
alter table route_tallies add column fall_outcomes double precision not null default 0;
alter table route_tallies add column fall_quality double precision not null default 0;
alter table route_tallies add column fell_from double precision;
alter table route_tallies add column fell_at bigint;
alter table model_calls add column repeats text;
create table settings (
  id text primary key,
  state text not null
);
`;
