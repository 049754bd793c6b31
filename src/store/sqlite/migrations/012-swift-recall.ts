export const swiftRecall = `drop index memories_by_importance;
create index memories_by_importance on memories (scope_kind, scope_name, status, importance desc, confidence desc, created_at desc, id);
create index memories_pinned on memories (scope_kind, scope_name, status, importance desc, confidence desc, created_at desc, id) where pinned = 1;

create index passages_by_scope on passages (noun, scope, id);
`;
