import { describe, expect, it } from "vitest";
import { changesTarget, mayOfferScript } from "./target-change.ts";

describe("another target as the way out of an error", () => {
  it.each([
    ["terraform workspace select prod", "terraform workspace select stage"],
    ["npm run deploy:prod", "npm run deploy:staging"],
    ["DJANGO_SETTINGS_MODULE=shop.settings.production python3 manage.py", "python3 manage.py"],
    ["psql -h db.prod-eu.acme.io", "psql -h db"],
    ["./gradlew deployProd", "./gradlew deployStage"],
    ["cat config/production.yml", "cat config/staging.yml"],
    ["kubectl -n shop-main delete job seed", "kubectl -n shop-stg delete job seed"],
    ["psql customers -f migrations/main.sql", "psql shop -f migrations/dev.sql"],
    ["bin/deploy --env customers", "bin/deploy --env staging"],
    ["./ctl deploy --cluster eu-west-main", "./ctl deploy --cluster eu-west-1"],
    ["terraform plan -var-file=customers.tfvars", "terraform plan -var-file=staging.tfvars"],
    ["just deploy-acme", "just deploy-dev"],
    ["git checkout release", "git checkout develop"],
    ["kubectl apply -f k8s/all.yml", "kubectl apply -f k8s/web.yml"],
  ])("is seen in %s after %s", (after, before) => {
    expect(changesTarget(after, before)).toBe(true);
  });

  it.each([
    ["npm run build:prod", "npm run build:production"],
    ["npm run products", "npm run product"],
    ["cat src/reproduce.py", "cat reproduce.py"],
    ["make delivery", "make deliver"],
    ["git checkout main", "git checkout master"],
    ["kubectl get pods -n staging", "kubectl get pods -n stagging"],
    ["kubectl delete pod -n staging web", "kubectl delete pod -n stagging web"],
    ["bin/rails db:migrate", "rails db:migrate"],
    ["docker compose restart web", "docker-compose restart web"],
    ["npx sls deploy", "sls deploy"],
    ["node scripts/seed.mjs --reset", "node scripts/seed.mjs --wipe"],
    ["poetry add --group dev black", "poetry add --dev black"],
    ["ls src", "ls sr 2>/dev/null"],
    ["npm run test:unit", "npm run tests"],
  ])("is not seen in %s after %s", (after, before) => {
    expect(changesTarget(after, before)).toBe(false);
  });
});

describe("scripts that may be offered for a missing one", () => {
  it.each([
    ["deploy:release", "deploy:dev"],
    ["deploy:customers", "deploy:dev"],
    ["deploy-prod", "deploy"],
    ["deploy-eu", "deploy"],
    ["seed:live", "seed"],
    ["publish", "publish:dry"],
    ["release", "release:check"],
    ["migrate:down", "migrate:status"],
    ["db:reset", "db:refresh"],
    ["clean:all", "cache:clean"],
    ["deploy", "lint"],
  ])("%s is not offered for %s", (name, wanted) => {
    expect(mayOfferScript(name, wanted)).toBe(false);
  });

  it.each([
    ["test:units", "test:unit"],
    ["check:types", "typecheck"],
    ["publish", "publsh"],
    ["lint", "deploy:dev"],
    ["build", "compile"],
  ])("%s is offered for %s", (name, wanted) => {
    expect(mayOfferScript(name, wanted)).toBe(true);
  });
});
