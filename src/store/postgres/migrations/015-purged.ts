export const purged = `create table purged (
  session text primary key,
  up_to bigint not null
);
`;
