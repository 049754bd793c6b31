import { describe, expect, it } from "vitest";
import { isBypassSetting, isProtectingOption, resemblesBypass } from "./bypass-words.ts";

describe("an option that resembles a bypass", () => {
  it.each([
    ["--yes", null],
    ["--assume-yes", null],
    ["--assumeyes", null],
    ["-y", null],
    ["--force-with-lease", null],
    ["--no-error", null],
    ["--noinput", null],
    ["--nogpgcheck", null],
    ["--non-interactive", null],
    ["--skip-existing", null],
    ["--disableChecks", null],
    ["--ignore-daemonsets", null],
    ["--insecure-skip-tls-verify", null],
    ["--unsafe-perm", null],
    ["--allow-dirty", null],
    ["--exit-code", "0"],
    ["--exit-zero", null],
    ["--clean", null],
    ["--delete-emptydir-data", null],
    ["--remove-orphans", null],
    ["--purge", null],
    ["--drop", null],
    ["--require-approval", "never"],
    ["--auto-approve", null],
    ["--trusted-host", "pypi.test"],
    ["--user", "root"],
    ["--profile", "admin"],
    ["--overwrite", null],
    ["--accept-data-loss", null],
    ["--as", "system:admin"],
    ["--impersonate-service-account", "x"],
    ["-input=false", null],
    ["--check=off", null],
    ["--verify", "none"],
    ["-uroot", null],
    ["-c", "core.hooksPath=/dev/null"],
  ])("%s %s", (option, value) => {
    expect(resemblesBypass(option, value)).toBe(true);
  });
});

describe("an option that does not", () => {
  it.each([
    ["--install", null],
    ["--features", "tz"],
    ["--timeout", "5m"],
    ["--limit", "web01"],
    ["--vault-password-file", ".vault_pass"],
    ["-T", null],
    ["-n", "staging"],
    ["-k", "fast"],
    ["-out", "tf.plan"],
    ["-var-file=env/staging.tfvars", null],
    ["--as-cran", null],
    ["--oneline", null],
    ["--show-current", null],
    ["--project", "web/tsconfig.json"],
    ["--workspace", "web"],
    ["--format", "json"],
    ["--rebase", null],
    ["--normalize", null],
    ["--node-version", "20"],
  ])("%s %s", (option, value) => {
    expect(resemblesBypass(option, value)).toBe(false);
  });
});

it("reads the same from a variable", () => {
  for (const setting of ["ANSIBLE_HOST_KEY_CHECKING=False", "PGSSLMODE=disable", "SKIP_TESTS=1", "AWS_PROFILE=admin"])
    expect([setting, isBypassSetting(setting)]).toEqual([setting, true]);
  for (const setting of ["ANDROID_HOME=/opt/android-sdk", "PORT=4000", "RAILS_ENV=test", "NODE_ENV=production"])
    expect([setting, isBypassSetting(setting)]).toEqual([setting, false]);
});

it("knows options that protect, which a remedy must not leave out", () => {
  for (const option of ["--dry-run", "--frozen-lockfile", "--check", "--strict", "--locked"])
    expect([option, isProtectingOption(option, "tool")]).toEqual([option, true]);
  for (const option of ["--json", "-it", "--feature"])
    expect([option, isProtectingOption(option, "tool")]).toEqual([option, false]);
});
