/** What is typed and not sent yet stays in this tab, also after a reload. */
export function readDraft(key: string): string {
  return sessionStorage.getItem(`oldhand.draft.${key}`) ?? "";
}

export function keepDraft(key: string, text: string): void {
  if (text === "") sessionStorage.removeItem(`oldhand.draft.${key}`);
  else sessionStorage.setItem(`oldhand.draft.${key}`, text);
}
