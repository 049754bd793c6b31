import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseShell } from "./parse.ts";

const words = (text: string): readonly (readonly string[])[] => parseShell(text).map((command) => command.words);
const joints = (text: string): readonly (string | null)[] => parseShell(text).map((command) => command.operator);

describe("parseShell", () => {
  it("splits at every operator and tells which one joins a command to the next", () => {
    expect(words("a && b || c | d; e & f\ng")).toEqual([["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]);
    expect(joints("a && b || c | d; e & f\ng")).toEqual(["&&", "||", "|", ";", "&", ";", null]);
  });

  it("takes quotes and escapes off and leaves operators inside them alone", () => {
    expect(words(`echo 'a && b' "c; d" e\\ f "g\\"h" $'i\\nj'`)).toEqual([
      ["echo", "a && b", "c; d", "e f", 'g"h', "i\nj"],
    ]);
  });

  it("keeps substitutions as they are written, with everything inside", () => {
    expect(words('echo $(ls | wc -l) `date; pwd` ${x:-a b} "$(echo ")")"')).toEqual([
      ["echo", "$(ls | wc -l)", "`date; pwd`", "${x:-a b}", '$(echo ")")'],
    ]);
  });

  it("reads a here-document as a body, not as commands", () => {
    const [cat, python] = parseShell("cat <<'EOF' > f.py\nimport os; rm()\nEOF\npython f.py");
    expect(cat?.words).toEqual(["cat"]);
    expect(cat?.redirects.map((redirect) => [redirect.kind, redirect.target])).toEqual([
      ["<<", "EOF"],
      [">", "f.py"],
    ]);
    expect(cat?.redirects[0]?.body).toBe("import os; rm()\n");
    expect(python?.words).toEqual(["python", "f.py"]);
  });

  it("reads a here-document inside a substitution, apostrophes and parentheses included", () => {
    const text = `git commit -m "$(cat <<'EOF'\nit's (done; really) && "so"\nEOF\n)" && git push`;
    expect(words(text).map((command) => command.slice(0, 2))).toEqual([
      ["git", "commit"],
      ["git", "push"],
    ]);
  });

  it("tells redirections from words", () => {
    const [command] = parseShell("make test >out.log 2>&1 2>/dev/null <in &>all 3");
    expect(command?.words).toEqual(["make", "test", "3"]);
    expect(command?.redirects.map(({ descriptor, kind, target }) => `${descriptor ?? ""}${kind}${target}`)).toEqual([
      ">out.log",
      "2>&1",
      "2>/dev/null",
      "<in",
      "&>all",
    ]);
  });

  it("keeps assignments before a command apart", () => {
    const [command] = parseShell(`A=1 B="x y" node --env=C=2 app.js`);
    expect(command?.assignments).toEqual(["A=1", "B=x y"]);
    expect(command?.words).toEqual(["node", "--env=C=2", "app.js"]);
  });

  it("flattens subshells, groups, loops and conditions", () => {
    expect(words("(cd x; make) | tee log")).toEqual([["cd", "x"], ["make"], ["tee", "log"]]);
    expect(joints("(cd x; make) | tee log")).toEqual([";", "|", null]);
    expect(words("for f in a b; do wc -l $f; done")).toEqual([["wc", "-l", "$f"]]);
    expect(words("if [ -f x ]; then cat x; else ls; fi")).toEqual([["[", "-f", "x", "]"], ["cat", "x"], ["ls"]]);
    expect(words("case $x in a|b) ls;; *) pwd;; esac; rg y")).toEqual([["ls"], ["pwd"], ["rg", "y"]]);
    expect(words("f() { ls; }; { pwd; }")).toEqual([["ls"], ["pwd"]]);
    expect(words("while read -r l; do echo $l; done < f")).toEqual([["read", "-r", "l"], ["echo", "$l"], []]);
  });

  it("reads the operators inside [[ ]] and (( )) as words", () => {
    expect(words("[[ -f a && ( b || c ) ]] && ls")).toEqual([
      ["[[", "-f", "a", "&&", "(", "b", "||", "c", ")", "]]"],
      ["ls"],
    ]);
    expect(words("((i++)); ls")).toEqual([["((", "i++"], ["ls"]]);
  });

  it("leaves comments out and follows continued lines", () => {
    expect(words("ls # no; rm -rf /\npwd#x \\\n  -P")).toEqual([["ls"], ["pwd#x", "-P"]]);
  });

  it("reads an array as one assignment", () => {
    expect(parseShell("a=(1 2 3); echo ${a[@]}").map((command) => command.assignments)).toEqual([["a=(1 2 3)"], []]);
  });

  it("lets what is never closed reach to the end", () => {
    expect(words(`echo "a && b`)).toEqual([["echo", "a && b"]]);
    expect(words("echo $(ls && b")).toEqual([["echo", "$(ls && b"]]);
    expect(words("cat <<EOF\nno end")).toEqual([["cat"]]);
  });

  it("never throws, whatever the text", () => {
    const shellish = fc
      .array(
        fc.constantFrom(..."ab'\"`$(){}[]<>|&;#\\\n \t=!-12".split(""), "EOF", "<<", "case ", " in ", "esac", "for "),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(fc.string(), shellish), (text) => Array.isArray(parseShell(text))),
      { numRuns: 2000 },
    );
  });

  it("keeps every word, whatever quotes it needs", () => {
    const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes("\0"));
    const command = fc.array(word, { minLength: 1, maxLength: 5 });
    const joint = fc.constantFrom(" && ", " || ", " | ", "; ", " & ", "\n");
    fc.assert(
      fc.property(fc.array(fc.tuple(command, joint), { minLength: 1, maxLength: 5 }), (pairs) => {
        const text = pairs.map(([list, by]) => ["run", ...list].map(quoted).join(" ") + by).join("");
        expect(parseShell(text).map((simple) => simple.words)).toEqual(pairs.map(([list]) => ["run", ...list]));
      }),
      { numRuns: 500 },
    );
  });

  it("survives nesting deeper than anyone writes", () => {
    expect(parseShell(`echo ${"$(".repeat(20_000)}`)).toHaveLength(1);
    expect(parseShell(`${"(".repeat(20_000)}ls`).at(-1)?.words).toBeDefined();
  });
});

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
