/** Of each tally: whether the quality of its model fell. Which call wrote a cached answer. Settings as the journal knows them. */
export const falls = `
alter table route_tallies add column fall real not null default 0;
alter table route_tallies add column fall_outcomes real not null default 0;
alter table route_tallies add column fall_quality real not null default 0;
alter table route_tallies add column fell_from real;
alter table route_tallies add column fell_at integer;
alter table model_calls add column repeats text;
create table settings (
  id text primary key,
  state text not null
) without rowid;
`;
