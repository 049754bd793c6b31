import type { Secret } from "./look.ts";

export function lookAtUrl(text: string, at: number): Secret | undefined {
  URL_PASSWORD.lastIndex = at;
  const match = URL_PASSWORD.exec(text);
  const password = match?.[2];
  if (password === undefined || /^[$%{<[*(]|^x+$|\.\.\./i.test(password)) return undefined;
  const user = match?.[1] ?? "";
  // The idiom of every manual.
  if (/^(?:user(?:name)?)?$/i.test(user) && /^pass(?:wd)?$/i.test(password)) return undefined;
  const start = at + 4 + user.length;
  return { start, end: start + password.length, rule: "url-password" };
}

const URL_PASSWORD = /:\/\/([^\s:/?#@"'`<>\\(){}[\]|,]{0,256}):([^\s/?#@"'`<>\\]{1,256})@(?=[\w.[$-])/y;
