export const vectors = `create table vectors (
  noun text not null,
  subject text not null,
  model text not null,
  dims integer not null,
  vector bytea not null,
  primary key (noun, subject, model)
);
`;
