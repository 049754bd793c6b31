import { describe, expect, it } from "vitest";
import type { Context } from "../../src/context.ts";
import { countRules } from "../../src/distil/counting/count-rules.ts";
import { recountRules } from "../../src/distil/counting/recount-rules.ts";
import { distil } from "../../src/distil/mining/distil.ts";
import { owner } from "../../src/domain/actor.ts";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { readCall } from "../../src/domain/cause/read-call.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { approveWithheldAdvice } from "../../src/domain/rule/decisions.ts";
import { matchesSteps } from "../../src/domain/rule/matching/matcher.ts";
import type { Matcher } from "../../src/domain/rule/rule.ts";
import { parseSteps } from "../../src/domain/shell/step.ts";
import { DAY, fixedClock } from "../../src/lib/clock.ts";
import { listSayableRules } from "../../src/recall/calls/sayable-rules.ts";
import { digest } from "../../src/store/derived/digest.ts";
import type { Store } from "../../src/store/engine/db.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { listRules } from "../../src/store/nouns/rules.ts";
import { quiet } from "../context.ts";
import { anEvent } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const NOW = Date.UTC(2026, 5, 1);

/** A command, and its error if it failed. */
type Call = readonly [command: string, error?: string];

const stash =
  "error: Your local changes to the following files would be overwritten by checkout:\n\tsrc/app.ts\nPlease commit your changes or stash them before you switch branches.\nAborting";
const backend =
  '╷\n│ Error: Backend initialization required, please run "terraform init"\n│ \n│ Reason: Initial configuration of the requested backend "s3"\n╵';

/** What agents read after four sessions of these calls; null for nothing. */
const taught: readonly (readonly [session: readonly Call[], sentence: string | null])[] = [
  [
    [
      [
        "cargo test --feature tz",
        "error: unexpected argument '--feature' found\n\n  tip: a similar argument exists: '--features'",
      ],
      ["cargo test --features tz"],
    ],
    "Use `cargo test --features` here: `cargo test` has no option `--feature` (failed 4 of 4).",
  ],
  [
    [
      ["golangci-lint run --deadline 5m ./...", "Error: unknown flag: --deadline"],
      ["golangci-lint run --timeout 5m ./..."],
    ],
    "Look up what `golangci-lint run` has in place of `--deadline`: it has no such option (failed 4 of 4).",
  ],
  [
    [["rails db:migrate", "/bin/bash: line 1: rails: command not found"], ["bin/rails db:migrate"]],
    "Use `bin/rails` here: `rails` is not on the PATH (failed 4 of 4).",
  ],
  [
    [
      [
        "./gradlew testDebugUnitTests",
        "Task 'testDebugUnitTests' not found in root project 'pocket'. Some candidates are: 'testDebugUnitTest'.",
      ],
      ["ANDROID_HOME=/opt/android-sdk ./gradlew testDebugUnitTest"],
    ],
    "Use `./gradlew testDebugUnitTest` here: there is no task `testDebugUnitTests` (failed 4 of 4).",
  ],
  [
    [
      [
        "git pull --rebase",
        "error: cannot pull with rebase: You have unstaged changes.\nerror: Please commit or stash them.",
      ],
      ["git stash && git pull --rebase"],
    ],
    "Use `git stash && git pull --rebase` here: `git pull --rebase` does not work (failed 4 of 4).",
  ],
  [
    [["git checkout main", stash], ["git stash && git checkout main"]],
    "Use `git stash && git checkout main` here: `git checkout main` does not work (failed 4 of 4).",
  ],
  [
    [["terraform plan", backend], ["terraform init"], ["terraform plan -out=tf.plan"]],
    "Run `terraform init` before `terraform plan` here: its error asks for it (failed 4 of 4).",
  ],
  [
    [
      ["terraform plan -refresh=only", 'Error: Invalid value "only" for flag -refresh: parse error'],
      ["terraform plan -refresh-only"],
    ],
    "Use `terraform plan -refresh-only` here: `terraform plan` with `-refresh=only` does not work (failed 4 of 4).",
  ],
  [
    [
      ["kubectl get pods -n stagging", 'Error from server (NotFound): namespaces "stagging" not found'],
      ["kubectl get pods -n staging"],
    ],
    "Use `kubectl get -n staging` here: there is no `stagging` (failed 4 of 4).",
  ],
  [
    [["docker compose exec -it api ./check", "the input device is not a TTY"], ["docker compose exec -T api ./check"]],
    null,
  ],
  [
    [
      ["ansible-playbook -i inv site.yml", "ERROR! Attempting to decrypt but no vault secrets found"],
      ["ansible-playbook -i inv site.yml --vault-password-file .vault_pass"],
    ],
    null,
  ],
  [
    [
      [
        "./gradlew assembleDebug",
        "> SDK location not found. Define a valid SDK location with an ANDROID_HOME environment variable",
      ],
      ["ANDROID_HOME=/opt/android-sdk ./gradlew assembleDebug"],
    ],
    "Use `ANDROID_HOME=/opt/android-sdk ./gradlew assembleDebug` here: `./gradlew assembleDebug` without `ANDROID_HOME` set does not work (failed 4 of 4).",
  ],
  [
    [["pip install -r r.txt", "error: externally-managed-environment"], [".venv/bin/pip install -r r.txt"]],
    "Use `.venv/bin/pip install` here: the packages of this Python belong to the system (failed 4 of 4).",
  ],
  [
    [["R CMD check a.tgz --as-CRAN", "Warning: unknown option ‘--as-CRAN’"], ["R CMD check a.tgz --as-cran"]],
    "Use `R CMD check --as-cran` here: `R CMD check` has no option `--as-CRAN` (failed 4 of 4).",
  ],
  [
    [["git checkout master", "error: pathspec 'master' did not match any file(s) known to git"], ["git checkout main"]],
    "Use `git checkout main` here: git has no branch, tag, commit or file `master` (failed 4 of 4).",
  ],
  [
    [["aws s3 sync out s3://b", "fatal error: AccessDenied"], ["AWS_PROFILE=admin aws s3 sync out s3://b"]],
    "Ask for the permission before `aws s3 sync out s3://b`: the server forbids it (failed 4 of 4).",
  ],
  [
    [["ssh web01 uptime", "web01: Permission denied (publickey)."], ["ssh deploy@web01 uptime"]],
    "`ssh web01 uptime` fails here with ‘Permission denied’ (failed 4 of 4).",
  ],
  [
    [["npm install -g pnpm", "npm error code EACCES"], ["sudo npm install -g pnpm"]],
    "`npm install -g pnpm` fails here with ‘Permission denied’ (failed 4 of 4).",
  ],
  [
    [
      ["redis-cli config set dir /data", "(error) ERR Changing directory: Permission denied"],
      ["redis-cli config set dir /tmp"],
    ],
    "`redis-cli config set dir /data` fails here with ‘Permission denied’ (failed 4 of 4).",
  ],
  [
    [
      ["apt-get install jq", "E: Could not open lock file - open (13: Permission denied)\nare you root?"],
      ["sudo apt-get install -y jq"],
    ],
    "`apt-get install jq` fails here with ‘Permission denied’ (failed 4 of 4).",
  ],
  [
    [["bazel test //x", "sandbox: Operation not permitted"], ["bazel test --spawn_strategy=local //x"]],
    "`bazel test //x` fails here with ‘Operation not permitted’ (failed 4 of 4).",
  ],
  [
    [
      [
        "kubectl rollout restart deploy/web",
        'Error from server (Forbidden): User "dev" cannot patch resource "deployments"',
      ],
      ["kubectl --as=system:admin rollout restart deploy/web"],
    ],
    "Ask for the permission before `kubectl rollout restart deploy/web`: `dev` may not patch `deployments` (failed 4 of 4).",
  ],
  [
    [
      [
        "git push origin v1.2.0",
        "! [rejected] v1.2.0 -> v1.2.0 (already exists)\nerror: failed to push some refs\nhint: Updates were rejected because the tag already exists in the remote.",
      ],
      ["git pull"],
      ["git push origin v1.2.1"],
    ],
    null,
  ],
  [[["git checkout main", stash], ["git reset --hard && git checkout main"]], null],
  [
    [
      ["git pull", "error: Your local changes would be overwritten by merge:\n\ta.ts"],
      ["git checkout -- . && git pull"],
    ],
    null,
  ],
  [
    [
      ["npm publish", "npm error 403 You cannot publish over the previously published versions: 1.2.0."],
      ["npm unpublish foo@1.2.0 --force && npm publish"],
    ],
    null,
  ],
  [[["hg update tip", "abort: uncommitted changes"], ["hg revert --all && hg update tip"]], null],
  [[["svn update", "svn: E155015: '/x' remains in conflict"], ["svn revert -R . && svn update"]], null],
  [
    [
      ["cargo publish", "error: crate version `0.3.0` is already uploaded"],
      ["cargo yank --version 0.3.0 && cargo publish"],
    ],
    null,
  ],
  [
    [
      ["pg_restore -d shop a.dump", 'pg_restore: error: relation "a" already exists'],
      ["pg_restore --clean -d shop a.dump"],
    ],
    null,
  ],
  [
    [
      ["docker compose up", "Error: the name is already in use by another container"],
      ["docker compose down -v && docker compose up"],
    ],
    null,
  ],
  [[["npm install", "npm error code EINTEGRITY"], ["npm cache clean --force && npm install"]], null],
  [
    [["systemctl start app", "Job for app.service failed"], ["systemctl disable firewalld && systemctl start app"]],
    null,
  ],
  [
    [
      ["ssh build01 make", "WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\nHost key verification failed."],
      ["ssh-keygen -R build01 && ssh build01 make"],
    ],
    null,
  ],
  [
    [
      ["ansible-playbook web.yml", "Host key verification failed."],
      ["ANSIBLE_HOST_KEY_CHECKING=False ansible-playbook web.yml"],
    ],
    null,
  ],
  [[["psql shop", "psql: error: SSL error: certificate verify failed"], ["PGSSLMODE=disable psql shop"]], null],
  [
    [["go mod download", "verifying module: checksum mismatch\nSECURITY ERROR"], ["GOFLAGS=-mod=mod go mod download"]],
    null,
  ],
  [[["git commit -m hooks", "pre-commit hook failed"], ["git -c core.hooksPath=/dev/null commit -m hooks"]], null],
  [[["semgrep ci", "Found 3 blocking findings"], ["semgrep ci --no-error"]], null],
  [[["trivy image web", "exit: CRITICAL 2"], ["trivy image --exit-code 0 web"]], null],
  [[["pulumi up", "error: --yes or --skip-preview must be passed in to proceed"], ["pulumi up --yes"]], null],
  [
    [
      ["cdk deploy", "your current security approval level (--require-approval broadening)."],
      ["cdk deploy --require-approval never"],
    ],
    null,
  ],
  [
    [
      ["mysql shop", "ERROR 1045 (28000): Access denied for user 'app'@'localhost' (using password: NO)"],
      ["mysql -uroot -psecret shop"],
    ],
    null,
  ],
  [
    [
      ["go test ./...", "directory prefix . does not contain modules listed in go.work"],
      ["cd services/ledger && go test ./..."],
    ],
    null,
  ],
  [
    [
      [
        "terraform init",
        'to migrate the state, use "terraform init -migrate-state".\nIf you wish to store the configuration, use "terraform init -reconfigure".',
      ],
      ["terraform init -reconfigure"],
    ],
    null,
  ],
  [
    [
      ["git psuh", "git: 'psuh' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tpush"],
      ["git status"],
    ],
    "Use `git push` here: `git psuh` is not a command (failed 4 of 4).",
  ],
  // Another target is never the way out of an error, in whatever word of the call it stands.
  [
    [
      [
        "terraform workspace select stage",
        'Workspace "stage" doesn\'t exist.\n\nYou can create this workspace with the "new" subcommand \nor include the "-or-create" flag with the "select" subcommand.',
      ],
      ["terraform workspace select prod"],
    ],
    "Do not use `stage` with `terraform workspace select` here: there is no `stage` (failed 4 of 4).",
  ],
  [
    [
      [
        "python3 manage.py migrate",
        "django.core.exceptions.ImproperlyConfigured: Requested setting DATABASES, but settings are not configured. You must either define the environment variable DJANGO_SETTINGS_MODULE or call settings.configure() before accessing settings.",
      ],
      ["DJANGO_SETTINGS_MODULE=shop.settings.production python3 manage.py migrate"],
    ],
    "`python3 manage.py migrate` asks for the variable `DJANGO_SETTINGS_MODULE` here; whether and how to set it is the user's decision (failed 4 of 4).",
  ],
  [
    [
      ["npx prisma migrate status", "error: Environment variable not found: DATABASE_URL."],
      ["DATABASE_URL=postgres://app:pw@db.acme.io/shop npx prisma migrate status"],
    ],
    "`npx prisma migrate status` asks for the variable `DATABASE_URL` here; whether and how to set it is the user's decision (failed 4 of 4).",
  ],
  [
    [
      [
        "bin/rails db:migrate",
        "ActiveRecord::EnvironmentMismatchError: You are attempting to modify a database that was last run in `production` environment.\nIf you are sure you want to continue, first set the environment using:\n\n        bin/rails db:environment:set RAILS_ENV=development",
      ],
      ["RAILS_ENV=production bin/rails db:migrate"],
    ],
    "`bin/rails db:migrate` asks for the variable `RAILS_ENV` here; whether and how to set it is the user's decision (failed 4 of 4).",
  ],
  [
    [
      [
        "cdk deploy",
        "Unable to resolve AWS account to use. It must be either configured when you define your CDK Stack, or through the environment. Set the AWS_PROFILE environment variable.",
      ],
      ["AWS_PROFILE=acme cdk deploy"],
    ],
    "`cdk deploy` asks for the variable `AWS_PROFILE` here; whether and how to set it is the user's decision (failed 4 of 4).",
  ],
  [
    [
      [
        "npm run deploy:staging",
        'npm error Missing script: "deploy:staging"\nnpm error\nnpm error Did you mean this?\nnpm error   npm run deploy:prod # run the "deploy:prod" package script',
      ],
      ["npm run deploy:prod"],
    ],
    // A fact says that it is missing.
    null,
  ],
  [
    [
      [
        "python3 tools/deploy.py --env staging",
        "deploy.py: error: argument --env: invalid choice: 'staging' (choose from 'dev', 'production')",
      ],
      ["python3 tools/deploy.py --env production"],
    ],
    "Do not use `--env staging` with `python3 tools/deploy.py` here: `python3 tools/deploy.py` does not take `--env staging` (failed 4 of 4).",
  ],
  [
    [
      ["npx sequelize db:migrate", "NODE_ENV environment variable is not set"],
      ["NODE_ENV=production npx sequelize db:migrate"],
    ],
    "`npx sequelize` asks for the variable `NODE_ENV` here; whether and how to set it is the user's decision (failed 4 of 4).",
  ],
  [
    [
      ["git checkout staging", "error: pathspec 'staging' did not match any file(s) known to git"],
      ["git checkout production"],
    ],
    "Do not run `git checkout staging` here: git has no branch, tag, commit or file `staging` (failed 4 of 4).",
  ],
  [
    [["cat config/staging.yml", "cat: config/staging.yml: No such file or directory"], ["cat config/production.yml"]],
    // A fact says that it is missing.
    null,
  ],
  [
    [
      ["kubectl -n shop-stg delete job seed", 'Error from server (NotFound): namespaces "shop-stg" not found'],
      ["kubectl -n shop-main delete job seed"],
    ],
    "Do not use `shop-stg` with `kubectl delete` here: there is no `shop-stg` (failed 4 of 4).",
  ],
  [
    [
      [
        "bin/deploy --env staging",
        "deploy: error: argument --env: invalid choice: 'staging' (choose from 'customers', 'eu')",
      ],
      ["bin/deploy --env customers"],
    ],
    "Do not use `--env staging` with `deploy` here: `deploy` does not take `--env staging` (failed 4 of 4).",
  ],
  [
    [["npm run seed", "Error: DATABASE_URL is not set"], ["DATABASE_URL=/srv/acme/customers.sqlite npm run seed"]],
    "`npm run seed` asks for the variable `DATABASE_URL` here; whether and how to set it is the user's decision (failed 4 of 4).",
  ],
  [
    [
      ["git checkout develop", "error: pathspec 'develop' did not match any file(s) known to git"],
      ["git checkout release"],
    ],
    "Do not run `git checkout develop` here: git has no branch, tag, commit or file `develop` (failed 4 of 4).",
  ],
  // A push fails for many reasons.
  [
    [
      ["git push", "husky - pre-push script failed (code 1)\nerror: failed to push some refs to 'github.com:a/b.git'"],
      ["npm test"],
    ],
    null,
  ],
  [
    [
      [
        "git push origin develop",
        "error: src refspec develop does not match any\nerror: failed to push some refs to 'github.com:a/b.git'",
      ],
      ["git push origin main"],
    ],
    "Do not use `develop` with `git push` here: git has no branch, tag, commit or file `develop` (failed 4 of 4).",
  ],
  // What a repair made work does not speak against the rule.
  [
    [
      [
        "docker compose up -d",
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
      ],
      ["open -a Docker"],
      ["docker compose up -d"],
    ],
    "Start Docker before `docker compose up`: the Docker daemon was not running (failed 4 of 4).",
  ],
];

describe.each(stores)("what agents are taught after four sessions, on $name", (kind) => {
  let count = 0;

  async function session(store: Store, workspace: string, calls: readonly Call[]): Promise<void> {
    const name = `s${count++}`;
    const events = calls.map(([command, error], seq): NewEvent => {
      const raw = {
        ...anEvent(`${name}-${seq}`),
        session: name,
        seq,
        at: NOW - 5 * DAY + count * 60_000 + seq * 1_000,
        workspace,
        cwd: workspace,
        tool: "Bash",
        input: { command },
        ok: error === undefined,
        error: error ?? null,
        text: null,
      };
      return { ...raw, ...readCall(raw) };
    });
    await appendEvents(store.db, events);
  }

  const contextOf = ({ db }: Store): Context =>
    ({ ...quiet, db, clock: fixedClock(NOW), config: { policy: defaultPolicy }, actor: owner }) as unknown as Context;

  const said = async (store: Store, workspace: string) =>
    (await listSayableRules(contextOf(store), { workspace, session: null })).map((rule) => rule.text);

  const meets = (matcher: Matcher | null | undefined, command: string) =>
    matchesSteps(
      matcher as Matcher,
      parseSteps({ tool: "Bash", input: { command }, cwd: "/w", workspace: "/w" }),
      new Set(),
    );

  it("is what the law about remedies allows", () =>
    withStore(kind, async (store) => {
      for (const [at, [calls]] of taught.entries())
        for (let i = 0; i < 4; i++) await session(store, `/w/p${at}`, calls);
      await digest(store.db);
      await distil(contextOf(store), { write: true, only: ["failures", "recoveries"] });
      const found: (readonly [string, readonly string[]])[] = [];
      for (const [at, [calls]] of taught.entries()) found.push([calls[0]?.[0] ?? "", await said(store, `/w/p${at}`)]);
      expect(found).toEqual(taught.map(([calls, sentence]) => [calls[0]?.[0], sentence === null ? [] : [sentence]]));
    }));

  it("is kept for the owner if the law withholds it, with the whole line and the reason", () =>
    withStore(kind, async (store) => {
      const calls: readonly Call[] = [["git checkout main", stash], ["git reset --hard && git checkout main"]];
      for (let i = 0; i < 4; i++) await session(store, "/w/shop", calls);
      await digest(store.db);
      await distil(contextOf(store), { write: true, only: ["failures"] });
      const [rule] = await listRules(store.db);
      expect(rule).toMatchObject({
        level: "watch",
        evidence: {
          remedy: {
            origin: null,
            withheld: { line: "git reset --hard && git checkout main", reason: "it discards work" },
          },
        },
      });
      const approved = rule === undefined ? null : approveWithheldAdvice(rule);
      expect(approved).toMatchObject({
        status: "approved",
        level: "nudge",
        text: "Use `git reset --hard && git checkout main` here: `git checkout main` does not work (failed 4 of 4).",
      });
      // The rule is about that call alone.
      for (const other of [
        "git checkout -b feature/tides",
        "git checkout -- src/app.ts",
        "git stash && git checkout -",
      ])
        expect([other, meets(rule?.matcher, other)]).toEqual([other, false]);
    }));

  it("never counts two causes in one rule", () =>
    withStore(kind, async (store) => {
      const only = 'Error: Invalid value "only" for flag -refresh: parse error';
      for (let i = 0; i < 4; i++)
        await session(store, "/w/tf", [
          ["terraform plan", backend],
          ["terraform init"],
          ["terraform plan -out=tf.plan"],
          ["terraform plan -refresh=only", only],
          ["terraform plan -refresh-only"],
        ]);
      await digest(store.db);
      await distil(contextOf(store), { write: true, only: ["failures"] });
      expect((await said(store, "/w/tf")).toSorted()).toEqual([
        "Run `terraform init` before `terraform plan` here: its error asks for it (failed 4 of 4).",
        "Use `terraform plan -refresh-only` here: `terraform plan` with `-refresh=only` does not work (failed 4 of 4).",
      ]);
      const first = (await listRules(store.db)).find((rule) => rule.text.startsWith("Run "));
      expect(meets(first?.matcher, "terraform plan")).toBe(true);
      for (const other of ["terraform plan -var-file=prod.tfvars", "terraform init && terraform plan"])
        expect([other, meets(first?.matcher, other)]).toEqual([other, false]);
    }));

  it("is not forgotten because agents follow it: their successes do not count against the rule", () =>
    withStore(kind, async (store) => {
      const managed = "error: externally-managed-environment";
      for (let i = 0; i < 4; i++) await session(store, "/w/dj", [["pip install -r r.txt", managed]]);
      for (let i = 0; i < 3; i++) await session(store, "/w/dj", [[".venv/bin/pip install -r r.txt"]]);
      const ctx = contextOf(store);
      await digest(store.db);
      await distil(ctx, { write: true, only: ["failures"] });
      await countRules(ctx);
      await recountRules(ctx);
      const [rule] = await listRules(store.db);
      expect(rule).toMatchObject({ level: "nudge", text: expect.stringContaining("(failed 4 of 4)") });
      expect(meets(rule?.matcher, "pip install flask")).toBe(true);
      expect(meets(rule?.matcher, ".venv/bin/pip install flask")).toBe(false);
    }));

  it("names an option that was added only if the same call did not work without it", () =>
    withStore(kind, async (store) => {
      for (let i = 0; i < 5; i++)
        await session(store, "/w/helm", [["helm upgrade web ./c", "Error: boom"], ["helm upgrade web ./c --debug"]]);
      await session(store, "/w/helm", [["helm upgrade web ./c"]]);
      await digest(store.db);
      await distil(contextOf(store), { write: true, only: ["failures"] });
      expect(await said(store, "/w/helm")).toEqual([]);
    }));
});
