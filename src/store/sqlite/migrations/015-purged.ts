export const purged = `create table purged (
  session text primary key,
  up_to integer not null
) without rowid;

insert into meta (key, value) select 'slack clean', '1'
where not exists (select 1 from events) and not exists (select 1 from journal);
`;
