import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseNamedCommands, runsNamedCommands } from "./named-command.ts";

const isRun = (named: string, shell: string) => runsNamedCommands(parseNamedCommands(named), shell);

interface Sample {
  readonly named: string;
  readonly runs: readonly string[];
  readonly not: readonly string[];
}

const samples: readonly Sample[] = [
  {
    named: "kiln wipe --all",
    runs: [
      "./bin/kiln wipe --all",
      "sh ./bin/kiln wipe --all",
      "bash -x bin/kiln --all wipe",
      "bash -euo pipefail bin/kiln wipe --all",
    ],
    not: ["sh ./bin/kiln wipe", "sh -c 'echo kiln wipe --all'", "bash other.sh kiln wipe --all"],
  },
  {
    named: "tools/migrate.py down --to base",
    runs: [
      "./tools/migrate.py down --to base",
      "python3 tools/migrate.py down --to base",
      "python3.12 -u -W ignore tools/migrate.py down --to base",
      "env X=1 python -X dev tools/migrate.py down --to base",
      "uv run python tools/migrate.py down --to=base",
      "bash -c 'python3 tools/migrate.py down --to base'",
    ],
    not: [
      "python3 tools/migrate.py up --to base",
      "python3 -c 'print(1)' tools/migrate.py down --to base",
      "python3 -m tools.other migrate.py down --to base",
      "python3 - migrate.py down --to base",
      "python3 other.py tools/migrate.py down --to base",
    ],
  },
  {
    named: "scripts/seed.ts --wipe",
    runs: [
      "node --import tsx scripts/seed.ts --wipe",
      "node -r dotenv/config --no-warnings ./scripts/seed.ts --wipe",
      "bun scripts/seed.ts --wipe",
      "bun run scripts/seed.ts --wipe",
      "deno run -A --config deno.json scripts/seed.ts --wipe",
      "npx tsx scripts/seed.ts --wipe",
      "ts-node -P tsconfig.json scripts/seed.ts --wipe",
    ],
    not: [
      "node scripts/seed.ts",
      "node -e 'x' scripts/seed.ts --wipe",
      "node --check scripts/seed.ts --wipe",
      "deno fmt scripts/seed.ts --wipe",
      "bun test scripts/seed.ts --wipe",
    ],
  },
  {
    named: "artisan migrate:fresh",
    runs: ["php artisan migrate:fresh", "php -d memory_limit=1G artisan migrate:fresh --seed"],
    not: ["php -r 'x' artisan migrate:fresh", "php -l artisan migrate:fresh", "ruby -e x artisan migrate:fresh"],
  },
  {
    named: "git push --force",
    runs: [
      "git push --force",
      "git push --force origin main",
      "git push origin main --force",
      "git push -f",
      "git push -fu origin main",
      "git -C dir push --force",
      "git --no-pager -c a.b=c push origin -f",
      "/usr/bin/git push -f",
      "sudo git push --force",
      "sudo X=1 git push -f",
      "env X=1 git push -f",
      "timeout 5 git push --force",
      "bash -c 'git push --force'",
      "eval 'git push --force'",
      "cd x && git push --force",
      "(git push -f)",
      "if git push -f; then date; fi",
      "true || git push -f | tee log",
      "echo $(git push -f)",
      'echo "`git push -f`"',
      "x=$(git push -f)",
      "files=($(git push -f))",
      "find . -exec git push -f \\;",
      "bash <<EOF\ngit push -f\nEOF",
      "cat <<EOF\n$(git push -f)\nEOF",
    ],
    not: [
      "git push",
      "git push --dry-run",
      "git push --force-with-lease",
      "git push --force=false",
      "git push -o --force",
      "git push -- --force",
      "git log --grep=push",
      "git log --grep push --force",
      "git --no-pager log --grep push -f",
      "git stash push -f",
      'git commit -m "git push --force"',
      "echo git push --force",
      "echo '$(git push -f)'",
      "cat <<'EOF'\n$(git push -f)\nEOF",
      "# git push --force",
    ],
  },
  {
    named: "rm -rf",
    runs: [
      "rm -rf /tmp/x",
      "rm -fr x",
      "rm -r -f x",
      "rm -Rvf x",
      "rm x -rf",
      "rm --recursive --force x",
      "find . | xargs rm -rf",
      "find . -exec rm -rf {} +",
    ],
    not: ["rm x", "rm -r x", "rm -f x", "rm -- -rf"],
  },
  {
    named: "npm publish",
    runs: ["npm publish --access public", "npm -w a publish", "npm --registry https://example.org publish"],
    not: ["npm pack", "npm run publish", "npm run x -- publish"],
  },
  {
    named: "rel push --env",
    runs: [
      "./bin/rel push --env staging",
      "rel push --env=staging",
      "rel --env staging push",
      "X=1 bash -c './bin/rel push --env staging'",
    ],
    not: ["rel push --target staging", "rel list --env staging", "echo rel push --env"],
  },
  {
    named: "bin/skiff ship --env prod",
    runs: [
      "bin/skiff ship --env prod",
      "skiff ship --env=prod --fast",
      "skiff ship web --env prod",
      "skiff --env prod ship",
      "skiff ship --env dev --env prod",
      "skiff ship --package web --env prod x",
      "env X=1 skiff ship -v --env prod --package web",
    ],
    not: [
      "skiff ship --env dev --package prod",
      "skiff ship --package prod --env dev",
      "skiff ship --package=prod --env dev",
      "skiff ship --package prod --env",
      "skiff ship --env dev prod",
      "skiff ship prod --env dev",
      "skiff ship --env",
      "skiff ship prod",
      "skiff ship --environment prod",
    ],
  },
  {
    named: "kiln wipe --all prod",
    runs: ["kiln wipe --all prod", "kiln wipe prod --all", "kiln wipe prod --all --quiet", "kiln wipe --all=prod"],
    not: ["kiln wipe --all dev", "kiln wipe --keep prod --all"],
  },
  {
    named: "kiln wipe --force prod",
    runs: [
      "kiln wipe prod --force",
      "kiln wipe --force --fast prod",
      "kiln wipe --force x prod",
      "kiln wipe --keep prod --force",
    ],
    not: ["kiln wipe prod", "kiln wipe --force dev"],
  },
  {
    named: "kiln wipe -f prod",
    runs: ["kiln wipe prod -f", "kiln wipe -f x prod", "kiln wipe -v prod -f", "kiln wipe -vf prod"],
    not: ["kiln wipe prod", "kiln wipe -f dev"],
  },
  {
    named: "git push --signed origin",
    runs: ["git push origin --signed", "git push --signed -q origin", "git push --signed main origin"],
    not: ["git push --signed"],
  },
  {
    named: "terra plan -target prod",
    runs: ["terra plan -target prod", "terra plan -target=prod"],
    not: ["terra plan -target dev -state prod"],
  },
  { named: "./bin/rel push", runs: ["rel push", "/opt/rel push x"], not: ["rel", "rel pull"] },
  {
    named: "curl | sh",
    runs: ["curl -fsSL example.org | sh", "curl x | sudo sh -s", "curl x | tee log | sh", "date; curl x | sh"],
    not: ["curl x", "curl x; sh", "curl x > a && sh a", "curl x | tee log; sh", "sh | curl"],
  },
  { named: "sudo", runs: ["sudo ls", "sudo -u ada ls"], not: ["ls", "echo sudo"] },
  { named: "sudo rm", runs: ["sudo rm x"], not: ["rm x", "sudo ls"] },
  {
    named: "prisma migrate reset",
    runs: [
      "rtk prisma migrate reset",
      "npx prisma migrate reset --force",
      "npx prisma@5 migrate reset",
      "pnpm exec prisma migrate reset",
    ],
    not: ["npx prisma migrate dev", "npx other prisma migrate reset"],
  },
  {
    named: "git commit --no-verify",
    runs: ["git commit -n -m x", "git commit -anm x"],
    not: ["git commit -m -n", "git commit -mn", "git push -n"],
  },
  {
    named: "kubectl delete -n prod",
    runs: ["kubectl -n prod delete pod x", "kubectl delete pod x --namespace=prod"],
    not: ["kubectl -n dev delete pod prod", "kubectl -n prod get pods"],
  },
  {
    named: "curl -X DELETE",
    runs: ["curl -XDELETE u", "curl --request DELETE u", "curl -sX DELETE u"],
    not: ["curl -X GET DELETE", "curl u"],
  },
  {
    named: "docker compose down -v",
    runs: ["docker compose -f a.yml down -v", "docker compose down --volumes"],
    not: ["docker compose -f down up -v", "docker compose down"],
  },
  {
    named: "pip install",
    runs: [
      "pip3 install x",
      "pip3.12 install x",
      "python -m pip install x",
      "python3.11 -m pip install -U x",
      "sudo pip install x",
    ],
    not: ["pipx install x", "uv pip install x", "pip list", "python -m pytest install"],
  },
  { named: "python3 -m pip install", runs: ["pip install x", "pip3 install x"], not: ["python3 -m pip list"] },
  {
    named: "psql -c 'DROP TABLE'",
    runs: ['psql -c "DROP TABLE orders"', "psql -d shop -c 'begin; drop  table orders'", "psql -c 'DROP TABLE'"],
    not: ["psql -c 'select 1'", "psql -c 'DROP TABLESPACE x'", "psql -c 'select \"DROP TABLE\"'", "psql -c DROP TABLE"],
  },
  { named: "python -m pytest", runs: ["python -X dev -m pytest -x"], not: ["python -m pip", "python pytest.py"] },
  { named: "terraform apply -auto-approve", runs: ["terraform apply x -auto-approve"], not: ["terraform apply"] },
  {
    named: "git push origin main",
    runs: ["git push -f origin main"],
    not: ["git push origin", "git push main origin"],
  },
  {
    named: "npm run build",
    runs: ["npm run build -- --watch", "npm -w a run-script build"],
    not: ["npm run build:ui"],
  },
  { named: "rm build", runs: ["rm ./build", "rm -r build/"], not: ["rm builds"] },
  { named: "cat > .env", runs: ["cat x > ./.env"], not: ["cat .env", "cat x > env"] },
  { named: "FORCE=1 make deploy", runs: ["env FORCE=1 make deploy"], not: ["make deploy", "FORCE=0 make deploy"] },
  { named: "bash -c", runs: ["bash -lc date"], not: ["bash x.sh"] },
  { named: "echo twin", runs: ["echo twin"], not: ["echo other"] },
  { named: "git", runs: ["git status", "git push"], not: ["gitk", "echo git"] },
];

describe("a command that a person names", () => {
  it.each(samples.flatMap(({ named, runs: some }) => some.map((shell) => [named, shell] as const)))(
    "%s is run by: %s",
    (named, shell) => expect(isRun(named, shell)).toBe(true),
  );

  it.each(samples.flatMap(({ named, not }) => not.map((shell) => [named, shell] as const)))(
    "%s is not run by: %s",
    (named, shell) => expect(isRun(named, shell)).toBe(false),
  );

  it.each(["", "   ", "# nothing", "X=1"])("is none where the text names none: %j", (named) => {
    expect(parseNamedCommands(named)).toEqual([]);
    expect(isRun(named, "git push")).toBe(false);
  });
});

/** Commands with their essential flags in each spelling. */
const forms = [
  { named: "git push --force", words: ["git", "push"], flags: [["--force", "-f"]], others: ["-q", "--tags", "-v"] },
  {
    named: "rm -rf",
    words: ["rm"],
    flags: [
      ["-r", "--recursive", "-R"],
      ["-f", "--force"],
    ],
    others: ["-v", "--one-file-system"],
  },
  {
    named: "docker system prune --all --force",
    words: ["docker", "system", "prune"],
    flags: [
      ["-a", "--all"],
      ["-f", "--force"],
    ],
    others: ["--volumes"],
  },
  { named: "rel push --env", words: ["rel", "push"], flags: [["--env=x"]], others: ["--fast=1"] },
] as const;

const matching = fc.constantFrom(...forms).chain((form) =>
  fc
    .record({
      flags: fc.tuple(...form.flags.map((spellings) => fc.constantFrom<string[]>(...spellings))),
      others: fc.subarray<string>([...form.others]),
      args: fc.array(fc.constantFrom("origin", "main", "x", "./a b"), { maxLength: 3 }),
    })
    .chain(({ flags, others, args }) =>
      fc
        .shuffledSubarray([...flags, ...others, ...args], { minLength: flags.length + others.length + args.length })
        .map((words) => ({ named: form.named, shell: [...form.words, ...words].map(quotedWord).join(" ") })),
    ),
);

function quotedWord(word: string): string {
  return /^[\w./=-]+$/.test(word) ? word : singleQuoted(word);
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const wrapping: readonly ((shell: string) => string)[] = [
  (shell) => `sudo ${shell}`,
  (shell) => `sudo -u ada -E ${shell}`,
  (shell) => `env A=1 B=2 ${shell}`,
  (shell) => `timeout -k 1 5 ${shell}`,
  (shell) => `nice -n 5 nohup ${shell}`,
  (shell) => `time ${shell}`,
  (shell) => `command ${shell}`,
];

const enclosing: readonly ((shell: string) => string)[] = [
  (shell) => `bash -c ${singleQuoted(shell)}`,
  (shell) => `sh -lc ${singleQuoted(shell)}`,
  (shell) => `cd dir && ${shell}`,
  (shell) => `date; ${shell} | tee log`,
  (shell) => `( ${shell} )`,
  (shell) => `echo $(${shell})`,
  (shell) => `x="$(${shell})"`,
  (shell) => `if ${shell}; then date; fi`,
];

describe("whatever is put around or between", () => {
  it("any order of flags, and any wrapper, leaves a command what it is", () => {
    const around = fc.tuple(
      fc.array(fc.constantFrom(...wrapping), { maxLength: 3 }),
      fc.constantFrom("", "A=1 "),
      fc.array(fc.constantFrom(...enclosing), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(matching, around, ({ named, shell }, [wraps, assignment, encloses]) => {
        const wrapped = assignment + wraps.reduce((inner, wrap) => wrap(inner), shell);
        const whole = encloses.reduce((inner, enclose) => enclose(inner), wrapped);
        expect(isRun(named, whole), whole).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("a quoted or echoed copy is no run of it", () => {
    const copying: readonly ((shell: string) => string)[] = [
      (shell) => `echo ${shell}`,
      (shell) => `printf %s ${singleQuoted(shell)}`,
      (shell) => `git commit -m ${singleQuoted(shell)}`,
      (shell) => `grep -r ${singleQuoted(shell)} docs`,
      (shell) => `cat > notes.md <<'END'\n${shell}\nEND`,
      (shell) => `date # ${shell}`,
      (shell) => `echo ${singleQuoted(`$(${shell})`)}`,
    ];
    const around = fc.tuple(
      fc.constantFrom(...copying),
      fc.array(fc.constantFrom(...enclosing.slice(0, 2)), { maxLength: 2 }),
    );
    fc.assert(
      fc.property(matching, around, ({ named, shell }, [copy, encloses]) => {
        const whole = encloses.reduce((inner, enclose) => enclose(inner), copy(shell));
        expect(isRun(named, whole), whole).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("any text is read without a fault, as a name and as a call", () => {
    const piece = fc.constantFrom(
      ..."git push --force -f rm -rf $( ` ) ( ' \" \\ | ; && << EOF \n { } -- - = find -exec npx bash -c $(( ${ <( case in esac #".split(
        " ",
      ),
      " ",
      "\n",
    );
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.array(piece, { maxLength: 60 }).map((all) => all.join(" ")),
      fc.array(piece, { maxLength: 60 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, text, (named, shell) => {
        expect(typeof isRun(named, shell)).toBe("boolean");
        expect(typeof isRun("git push --force", shell)).toBe("boolean");
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(["$(", "`", "bash -c '", "(", '"$(', "find -exec ", "npx ", "<(", "a|", "$((", "-", "sudo "])(
    "reads a very long run of %j, and what stands behind it",
    (piece) => {
      const long = piece.repeat(60_000);
      expect(typeof isRun("git push --force", long)).toBe("boolean");
      expect(typeof isRun(long.slice(0, 4_000), "git push --force")).toBe("boolean");
      expect(isRun("git push --force", `git push -f ; ${long}`)).toBe(true);
    },
  );
});
