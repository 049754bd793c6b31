export const search = `drop table words;
create virtual table words using fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
create virtual table words_counts using fts5vocab (words, row);

create table passages (
  id integer primary key autoincrement,
  noun text not null,
  subject text not null,
  scope text not null,
  text text not null
);
create unique index passages_identity on passages (noun, subject);
create virtual table passage_words using fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
create virtual table passage_words_counts using fts5vocab (passage_words, row);

create table word_totals (
  name text primary key,
  row_count integer not null,
  word_count integer not null
) without rowid;
insert into word_totals (name, row_count, word_count) values ('words', 0, 0), ('passage_words', 0, 0);

alter table vectors add column turn integer not null default 0;
create index vectors_by_turn on vectors (noun, model, turn);
`;
