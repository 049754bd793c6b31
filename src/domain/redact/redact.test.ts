import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact, redactValue } from "./redact.ts";

// Formats as their issuers document them; <an36> stands for 36 random letters and digits.
// Contains no literal token, so that secret scanners do not report this file.
const FORMATS: readonly (readonly [rule: string, ...formats: string[]])[] = [
  ["1password-key", "A3-<up6>-<up11>-<up5>-<up5>-<up5>", "A3-<up6>-<up6>-<up5>-<up5>-<up5>-<up5>"],
  ["1password-token", "ops_eyJ<an300>=="],
  ["adobe-secret", "p8e-<an32>"],
  ["age-key", "AGE-SECRET-KEY-1<age58>"],
  ["airtable-token", "pat<an14>.<hex64>"],
  ["alibaba-access-key", "LTAI<an20>"],
  ["anthropic-key", "sk-ant-api03-<w93>AA", "sk-ant-admin01-<w93>AA", "sk-ant-oat01-<w93>AA"],
  ["artifactory-token", "AKCp<an69>", "cmVmd<an59>"],
  ["asana-token", "1/<d16>:<hex32>"],
  ["atlassian-token", "ATATT3<an186>"],
  ["authress-key", "sc_<lo10>.<lo4>.acc-<lo12>.<an60>"],
  ["aws-access-key", "AKIA<b32of16>", "ASIA<b32of16>"],
  ["aws-bedrock-key", "ABSK<an120>=="],
  ["azure-client-secret", "<an3>8Q~<w34>"],
  ["beamer-token", "b_<lo44>"],
  ["bitbucket-token", "ATBB<an32>"],
  ["buildkite-token", "bkua_<hex40>"],
  ["circleci-token", "CCIPAT_<an22>_<hex40>"],
  ["clickhouse-key", "4b1d<an38>"],
  ["clojars-token", "CLOJARS_<lo60>"],
  ["cloudflare-origin-key", "v1.0-<hex24>-<hex146>"],
  ["contentful-token", "CFPAT-<an43>"],
  ["databricks-token", "dapi<hex32>", "dapi<hex32>-3"],
  ["defined-networking-token", "dnkey-<lo26>-<lo52>"],
  ["digitalocean-token", "dop_v1_<hex64>", "doo_v1_<hex64>", "dor_v1_<hex64>"],
  ["discord-token", "MT<an22>.<an6>.<w27>", "OT<an24>.<an6>.<w38>"],
  ["discord-webhook", "discord.com/api/webhooks/<d18>/<w68>"],
  ["docker-token", "dckr_pat_<an27>"],
  ["doppler-token", "dp.pt.<an43>"],
  ["dropbox-token", "sl.<w135>"],
  ["duffel-token", "duffel_test_<an43>", "duffel_live_<an43>"],
  ["dynatrace-token", "dt0c01.<up24>.<up64>"],
  ["easypost-token", "EZAK<an54>", "EZTK<an54>"],
  ["endorlabs-key", "endr+<an16>"],
  ["facebook-token", "<d15>|<an27>", "<d16>|<an27>", "EAAC<an120>"],
  ["flutterwave-key", "FLWSECK_TEST-<hex32>-X", "FLWPUBK_TEST-<hex32>-X", "FLWSECK_TEST-<hex12>"],
  ["fly-token", "fo1_<an43>", "fm2_<an140>==", "fm1r_<an140>"],
  ["frameio-token", "fio-u-<an64>"],
  ["gcp-api-key", "AIzaSy<an33>"],
  ["github-token", "ghp_<an36>", "gho_<an36>", "ghu_<an36>", "ghs_<an36>", "ghr_<an36>", "github_pat_<an22>_<an59>"],
  ["gitlab-session", "_gitlab_session=<hex32>"],
  [
    "gitlab-token",
    "glpat-<an20>",
    "glpat-<an27>.01.<lo9>",
    "gldt-<an20>",
    "glft-<an20>",
    "glffct-<an20>",
    "glrt-<an20>",
    "glsoat-<an20>",
  ],
  [
    "gitlab-token",
    "glcbt-<hex2>_<an20>",
    "glimt-<an25>",
    "glptt-<hex40>",
    "glagent-<an50>",
    "gloas-<hex64>",
    "GR1348941<an20>",
  ],
  ["gocardless-token", "live_<an40>"],
  ["google-oauth", "GOCSPX-<an28>", "ya29.<w120>"],
  ["grafana-token", "glc_<an64>=", "glsa_<an32>_<hex8>", "eyJrIjoi<an80>="],
  ["groq-key", "gsk_<an52>"],
  ["harness-key", "pat.<an22>.<an24>.<an20>", "sat.<an22>.<an24>.<an20>"],
  ["heroku-key", "HRKU-AA<an58>"],
  ["huggingface-token", "hf_<let34>", "api_org_<let34>"],
  ["infracost-token", "ico-<an32>"],
  ["intra42-secret", "s-s4t2ud-<hex64>", "s-s4t2af-<hex64>"],
  ["launchdarkly-key", "sdk-<uuid>", "api-<uuid>"],
  ["linear-key", "lin_api_<an40>"],
  ["lob-key", "live_<hex35>", "test_pub_<hex31>"],
  ["mailchimp-key", "<hex32>-us1", "<hex32>-us20"],
  ["mailgun-key", "key-<hex32>", "pubkey-<hex32>"],
  ["mapbox-token", "sk.eyJ<an60>.<an22>"],
  ["maxmind-key", "<an6>_<an29>_mmk"],
  ["model-api-key", "sk-<hex32>"],
  ["netlify-token", "nfp_<an36>"],
  ["new-relic-key", "NRAK-<up27>", "NRJS-<hex19>", "NRII-<an32>"],
  ["notion-token", "ntn_<d11><an35>", "secret_<an43>"],
  ["npm-token", "npm_<an36>"],
  ["nvidia-key", "nvapi-<w64>"],
  ["octopus-deploy-key", "API-<up26>"],
  ["openai-key", "sk-<an20>T3BlbkFJ<an20>", "sk-proj-<an74>T3BlbkFJ<an74>", "sk-proj-<w120>"],
  ["openrouter-key", "sk-or-v1-<hex64>"],
  ["openshift-token", "sha256~<w43>"],
  ["perplexity-key", "pplx-<an48>"],
  ["pinecone-key", "pcsk_<an6>_<an63>"],
  ["plaid-token", "access-sandbox-<uuid>", "access-production-<uuid>"],
  ["planetscale-token", "pscale_tkn_<an43>", "pscale_oauth_<an43>", "pscale_pw_<an43>"],
  ["postman-key", "PMAK-<hex24>-<hex34>"],
  ["prefect-token", "pnu_<an36>"],
  ["pulumi-token", "pul-<hex40>"],
  ["pypi-token", "pypi-AgEIcHlwaS5vcmc<w80>", "pypi-AgENdGVzdC5weXBpLm9yZw<w80>"],
  ["readme-token", "rdme_<lo70>"],
  ["replicate-token", "r8_<an37>"],
  ["rubygems-token", "rubygems_<hex48>"],
  ["scalingo-token", "tk-us-<w48>"],
  ["sendgrid-key", "SG.<an22>.<an43>"],
  ["sendinblue-key", "xkeysib-<hex64>-<an16>"],
  ["sentry-token", "sntryu_<hex64>", "sntrys_eyJpYXQiO<an80>LCJyZWdpb25fdXJs<an60>=_<an43>"],
  ["settlemint-token", "sm_aat_<an16>", "sm_pat_<an16>", "sm_sat_<an16>"],
  ["shippo-token", "shippo_live_<hex40>", "shippo_test_<hex40>"],
  ["shopify-token", "shpat_<hex32>", "shpca_<hex32>", "shppa_<hex32>", "shpss_<hex32>"],
  ["slack-token", "xoxb-<d12>-<d12>-<an24>", "xoxp-<d12>-<d12>-<d12>-<hex32>", "xapp-1-<up11>-<d13>-<hex64>"],
  ["slack-token", "xoxe.xoxp-1-<an163>", "xoxe-1-<an146>", "xoxs-<d10>-<d10>-<d10>-<hex10>", "xoxa-2-<an40>"],
  ["slack-webhook", "hooks.slack.com/services/T<up8>/B<up8>/<an24>"],
  ["sonar-token", "squ_<hex40>", "sqp_<hex40>"],
  ["sourcegraph-token", "sgp_<hex16>_<hex40>", "sgp_local_<hex40>", "sgp_<hex40>"],
  ["square-token", "EAAA<an60>", "sq0atp-<an22>", "sq0csp-<an43>"],
  ["stripe-key", "sk_live_<an24>", "sk_test_<an99>", "rk_live_<an24>"],
  ["stripe-webhook-secret", "whsec_<an32>"],
  ["supabase-token", "sbp_<hex40>"],
  ["tailscale-key", "tskey-auth-<an12>-<an32>"],
  ["tavily-key", "tvly-<an32>"],
  ["teams-webhook", "acme.webhook.office.com/webhookb2/<uuid>@<uuid>/IncomingWebhook/<hex32>/<uuid>"],
  ["telegram-token", "<d9>:A<w34>", "<d10>:A<w34>"],
  ["terraform-token", "<an14>.atlasv1.<an67>"],
  ["twilio-key", "SK<hex32>", "AC<hex32>"],
  ["twitter-bearer", "AAAAAAAAAAAAAAAAAAAAAA<an90>"],
  ["typeform-token", "tfp_<an44>_<an14>"],
  ["vault-token", "hvs.<an95>", "hvb.<an150>", "s.<an24>"],
  ["xai-key", "xai-<an80>"],
  ["yandex-key", "AQVN<an36>"],
  ["yandex-token", "t1.<an40>.<an86>"],
];

// Recognised only with a name: the format alone is not enough.
const NAMED: readonly (readonly [rule: string, name: string, ...formats: string[]])[] = [
  ["adafruit-key", "ADAFRUIT_IO_KEY", "<lo32>"],
  ["adobe-key", "adobe_client_id", "<hex32>"],
  ["algolia-key", "algoliaApiKey", "<lo32>"],
  ["alibaba-key", "ALIBABA_SECRET", "<lo30>"],
  ["asana-key", "asana_client_secret", "<lo32>"],
  ["jira-key", "JIRA_TOKEN", "<lo20><hex4>"],
  ["aws-key", "aws_secret_access_key", "<an40>"],
  ["secret", "AccountKey", "<an86>=="],
  ["bitbucket-key", "bitbucketClientSecret", "<lo64>"],
  ["bittrex-key", "BITTREX_SECRET", "<lo32>"],
  ["meraki-key", "MERAKI_API_KEY", "<hex40>"],
  ["cloudant-key", "cloudant_password", "<hex64>"],
  ["cloudflare-key", "cloudflare_api_key", "<lo40>", "<hex37>"],
  ["codecov-key", "CODECOV_TOKEN", "<uuid>"],
  ["cohere-key", "COHERE_API_KEY", "<an40>"],
  ["coinbase-key", "coinbase_access", "<lo64>"],
  ["confluent-key", "confluentSecret", "<lo64>"],
  ["contentful-key", "contentful_delivery", "<lo43>"],
  ["secret", "DD_API_KEY", "<hex32>"],
  ["discord-key", "discord_client_secret", "<an32>"],
  ["token", "droneci_token", "<lo32>"],
  ["dropbox-key", "dropbox_secret", "<lo15>"],
  ["etsy-key", "ETSY_KEY", "<lo24>"],
  ["facebook-key", "facebook_app_secret", "<hex32>"],
  ["fastly-key", "fastly_key", "<an32>"],
  ["finicity-key", "finicity_app_key", "<hex32>"],
  ["finnhub-key", "finnhub_token", "<lo20>"],
  ["flickr-key", "flickr_key", "<lo32>"],
  ["freshbooks-key", "freshbooks_token", "<lo64>"],
  ["gitter-key", "gitter_token", "<lo40>"],
  ["heroku-key", "HEROKU_API_KEY", "<uuid>"],
  ["hubspot-key", "hubspotKey", "<uuid>"],
  ["intercom-key", "intercom_token", "<an60>"],
  ["jfrog-key", "JFROG_API_KEY", "<an64>"],
  ["kraken-key", "kraken_key", "<an84>"],
  ["kucoin-key", "KUCOIN_SECRET", "<uuid>", "<hex24>"],
  ["launchdarkly-key", "launchdarkly_token", "<lo40>"],
  ["linear-key", "linear_client_secret", "<hex32>"],
  ["linkedin-key", "linkedin_secret", "<an16>"],
  ["looker-key", "looker_client_secret", "<lo24>"],
  ["mailgun-key", "mailgun_signing_key", "<hex32>-<hex8>-<hex8>"],
  ["mattermost-key", "mattermost_token", "<lo26>"],
  ["messagebird-key", "messagebird_key", "<an25>"],
  ["netlify-key", "netlify_token", "<an43>"],
  ["newrelic-key", "newrelic_key", "<lo64>"],
  ["nytimes-key", "nytimes_api_key", "<an32>"],
  ["okta-key", "oktaApiToken", "00<an40>"],
  ["plaid-key", "PLAID_SECRET", "<lo30>"],
  ["key", "private_ai_key", "<lo32>"],
  ["rapidapi-key", "rapidapi_key", "<lo50>"],
  ["sendbird-key", "sendbird_token", "<hex40>"],
  ["sentry-key", "SENTRY_AUTH_TOKEN", "<hex64>"],
  ["contribsys-key", "BUNDLE_GEMS__CONTRIBSYS__COM", "<hex8>:<hex8>"],
  ["snyk-key", "SNYK_TOKEN", "<uuid>"],
  ["softlayer-key", "softlayer_api_key", "<lo64>"],
  ["sonar-key", "sonar.login", "<hex40>"],
  ["sourcegraph-key", "sourcegraph_token", "<hex40>"],
  ["squarespace-key", "squarespace_key", "<uuid>"],
  ["sumo-key", "SUMO_ACCESS_ID", "su<an12>"],
  ["sumologic-key", "sumologic_access_key", "<an64>"],
  ["travis-key", "TRAVIS_TOKEN", "<an22>"],
  ["trello-key", "trello_key", "<hex32>"],
  ["twitch-key", "twitch_secret", "<lo30>"],
  ["twitter-key", "twitter_api_secret", "<an50>", "<d19>-<an30>"],
  ["zendesk-key", "zendesk_secret", "<hex40>"],
  ["secret", "API_KEY", "<an32>", "<hex40>", "<uuid4>"],
  ["secret", "clientSecret", "<an24>"],
  ["secret", "refresh_token", "<w60>"],
  ["token", "sessionToken2x_token", "<an40>"],
  ["password", "DB_PASSWORD", "hunter22<an4>"],
];

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const SETS: Readonly<Record<string, string>> = {
  an: LOWER + UPPER + DIGITS,
  w: `${LOWER}${UPPER}${DIGITS}_-`,
  hex: `${DIGITS}abcdef`,
  up: UPPER + DIGITS,
  lo: LOWER + DIGITS,
  let: LOWER + UPPER,
  d: DIGITS,
  b32of: `${UPPER}234567`,
  age: "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
};

/** Mulberry32: samples differ, but every run has the same ones. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function fill(format: string, random: () => number): string {
  return format
    .replaceAll("<uuid>", "<hex8>-<hex4>-<hex4>-<hex4>-<hex12>")
    .replaceAll("<uuid4>", "<hex8>-<hex4>-4<hex3>-a<hex3>-<hex12>")
    .replaceAll(/<([a-z]+(?:\d+of)?)(\d+)>/g, (_, set: string, count: string) => {
      const chars = SETS[set]!;
      // Begins and ends with a word character, as real tokens do.
      const body = Array.from({ length: Number(count) }, () => chars[Math.floor(random() * chars.length)]).join("");
      return set === "w" ? body.replace(/^[_-]|[_-]$/g, "k") : body;
    });
}

const PER_FORMAT = 20;

/** The share of samples of a format that are redacted inside the frame. */
function caughtShare(rule: string, format: string, frame: (secret: string) => string, seed: number): number {
  const random = generator(seed);
  let caught = 0;
  for (let i = 0; i < PER_FORMAT; i++) {
    const secret = fill(format, random);
    const framed = frame(secret);
    const clean = redact(framed);
    if (!clean.includes(secret) && clean.includes(`[redacted:${rule}]`)) caught++;
  }
  return caught / PER_FORMAT;
}

describe("redact", () => {
  it.each(FORMATS.flatMap(([rule, ...formats]) => formats.map((format) => [rule, format] as const)))(
    "knows a %s of the form %s wherever it stands",
    (rule, format) => {
      expect(caughtShare(rule, format, (secret) => secret, 1)).toBeGreaterThanOrEqual(0.95);
      expect(caughtShare(rule, format, (secret) => `run it with "${secret}" and wait`, 2)).toBeGreaterThanOrEqual(0.95);
      expect(caughtShare(rule, format, (secret) => `{"a":"first\\n${secret}\\nlast"}`, 3)).toBeGreaterThanOrEqual(
        // Formats without a literal prefix cannot tell an escape from their first letter.
        format.startsWith("<") ? 0 : 0.95,
      );
    },
  );

  it.each(NAMED.flatMap(([rule, name, ...formats]) => formats.map((format) => [rule, name, format] as const)))(
    "knows a %s by the name %s and the form %s",
    (rule, name, format) => {
      for (const frame of [
        (secret: string) => `export ${name}=${secret}\n`,
        (secret: string) => `const ${name} = "${secret}";`,
        (secret: string) => `{ "${name}": "${secret}" }`,
        (secret: string) => `${name}: ${secret}`,
        (secret: string) => `{"env":"{\\"${name}\\": \\"${secret}\\"}"}`,
      ]) {
        expect(caughtShare(rule, format, frame, 4)).toBeGreaterThanOrEqual(0.95);
      }
    },
  );

  it("keeps the text around a secret", () => {
    const secret = fill("ghp_<an36>", generator(5));
    expect(redact(`git clone https://x-access-token:${secret}@github.com/a/b # now`)).toMatch(
      /^git clone https:\/\/x-access-token:\[redacted:[\w-]+\]@github\.com\/a\/b # now$/,
    );
    expect(redact(`GITHUB_TOKEN=${secret} npm test`)).toBe("GITHUB_TOKEN=[redacted:github-token] npm test");
  });

  it("takes the body of a private key and leaves its markers", () => {
    const body = Array.from({ length: 4 }, (_, i) => fill("<an64>", generator(i))).join("\n");
    const begin = ["-----BEGIN RSA", "PRIVATE KEY-----"].join(" ");
    const end = begin.replace("BEGIN", "END");
    expect(redact(`a\n${begin}\n${body}\n${end}\nb`)).toBe(`a\n${begin}[redacted:private-key]${end}\nb`);
    expect(redact(`${begin}\n${body}`)).toBe(`${begin}[redacted:private-key]`);
    expect(redact(JSON.stringify(`${begin}\n${body}\n${end}\n`))).not.toContain(body.slice(0, 64));
  });

  it("takes signed tokens whose header is JSON, with or without signature", () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: "someone", n: 7 })}`;
    expect(redact(`Cookie: a=${token}.c2lnbmF0dXJl; b=1`)).toBe("Cookie: a=[redacted:jwt]; b=1");
    expect(redact(token)).toBe("[redacted:jwt]");
    expect(redact(Buffer.from(`${token}.c2lnbmF0dXJl`).toString("base64"))).toBe("[redacted:jwt]");
  });

  it.each([
    ["curl -u admin:s3cr3t-w0rd https://h/", "curl -u admin:[redacted:curl-user] https://h/"],
    ["curl --user 'jo:p4ss!word' x", "curl --user 'jo:[redacted:curl-user]' x"],
    ["postgres://app:Tr0ub4dor@db:5432/app", "postgres://app:[redacted:url-password]@db:5432/app"],
    ["redis://:s3kr1t@cache:6379/0", "redis://:[redacted:url-password]@cache:6379/0"],
    ["Authorization: Basic dXNlcjpodW50ZXIy", "Authorization: Basic [redacted:authorization]"],
    ["//registry.npmjs.org/:_authToken=abcdef0123", "//registry.npmjs.org/:_authToken=[redacted:npm-token]"],
    ["machine h login me password hunter2x", "machine h login me password [redacted:netrc-password]"],
    ["sshpass -p hunter2x ssh h", "sshpass -p [redacted:password] ssh h"],
    ["mysql --password=hunter2x -e x", "mysql --password=[redacted:password] -e x"],
    ["Server=h;User Id=sa;Password=Pa55w0rd;", "Server=h;User Id=sa;Password=[redacted:password];"],
    ["<password>hunter2x</password>", "<password>[redacted:password]</password>"],
    [
      '<add key="ClearTextPassword" value="hunter2!x" />',
      '<add key="ClearTextPassword" value="[redacted:password]" />',
    ],
    ["- name: DB_PASSWORD\n  value: hunter2x", "- name: DB_PASSWORD\n  value: [redacted:password]"],
  ])("reads %j in its context", (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it("takes the values of a Kubernetes secret, before or after its kind", () => {
    const value = Buffer.from("not for the eyes of others").toString("base64");
    expect(redact(`apiVersion: v1\nkind: Secret\ndata:\n  user: ${value}\n  note: {{ x }}\n`)).toBe(
      "apiVersion: v1\nkind: Secret\ndata:\n  user: [redacted:kubernetes-secret]\n  note: {{ x }}\n",
    );
    expect(redact(`data:\n  user: ${value}\nkind: Secret\n`)).not.toContain(value);
    expect(redact(`kind: ConfigMap\ndata:\n  user: ${value}\n`)).toContain(value);
  });

  it.each([
    "commit 9a038989604e8da62ecddbe2094b16ce1b778be1",
    "id: 0736f5ef-7e88-499a-80cc-90c85d2a5180",
    '"integrity": "sha512-9n0dWGJ7vD3zR3lYp8Qe5hXz1m2n3b4v5c6x7z8a9s0d1f2g3h4j5k6l7q8w9e0rtyuiop=="',
    "FROM node@sha256:b3ca7d32f0c12291df6e45a914d4ee60011a3fce4a978df5e609e356a4a2cb88",
    "token = process.env.GITHUB_TOKEN_2",
    "password: ${DB_PASSWORD}",
    "api_key: <your-api-key-1>",
    "API_KEY=xxxxxxxxxxxxxxxxxxxx",
    'const token = await getToken2("abc");',
    "secretName: my-app-secret-v2",
    "accessKeyId: options.accessKeyId2",
    "const apiKey = config.services.v2.apiKey1;",
    "PWD=/home/user1/project",
    "pageToken: CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA1",
    "max_tokens: 4096",
    "primary_key = a1b2c3d4e5f6a7b8",
    "see https://example.com:8080/a@b and http://user:pass@host",
    "curl -u user:password https://h/",
    "curl -u $USER:$PASS2 https://h/",
    "git push -u origin:feature1",
    "Authorization: Bearer $TOKEN1",
    "Authorization: Bearer <token1>",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "grep -n 'BEGIN RSA PRIVATE KEY' -r .",
    "keyboard: de-latin1-nodeadkeys",
    "arn:aws:iam::123456789012:role/deploy-key-role-2",
    "src/auth/token/key-rotation.v2.test.ts:42",
  ])("leaves %j alone", (text) => {
    expect(redact(text)).toBe(text);
  });

  it.each([
    ["anthropic-key", "sk-ant-api03-"],
    ["anthropic-key", "sk-ant-oat01-"],
    ["openai-key", "sk-proj-"],
    ["openai-key", "sk-svcacct-"],
    ["openrouter-key", "sk-or-v1-"],
    ["github-token", "ghp_"],
    ["github-token", "github_pat_"],
    ["gitlab-token", "glpat-"],
  ])(
    "takes a key of 16 characters or more after a prefix that only %s has, also one that is not random",
    (rule, prefix) => {
      for (const plain of ["abcdefghijklmnop", "abcdefghijklmnopqrstuvwxyz", "aaaabbbbccccddddeeeeffff"])
        expect(redact(`key ${prefix}${plain} here`)).toBe(`key [redacted:${rule}] here`);
      expect(redact(`${prefix}short`)).toBe(`${prefix}short`);
      expect(redact(`${prefix}xxxxxxxxxxxxxxxxxxxx`)).toBe(`${prefix}xxxxxxxxxxxxxxxxxxxx`);
    },
  );

  it("is idempotent on texts made of secrets and their pieces", () => {
    const random = generator(6);
    const pieces = [
      ...FORMATS.flatMap(([, ...formats]) => formats.map((format) => fill(format, random))),
      ..."password= token: https://u: @h curl -u a:b1c2 key=\" ' \n \\n [ ] -----BEGIN PRIVATE KEY----- -----END PRIVATE KEY----- Bearer kind: Secret data: |password| Cookie: a=b; mysql -p password is %3D \u001b[0m --token as $6$ user,password stringData: pw: IDENTIFIED BY sig= mnemonic".split(
        " ",
      ),
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 12 }),
        fc.constantFrom("", " ", "\n", ":"),
        (parts, glue) => {
          const once = redact(parts.join(glue));
          expect(redact(once)).toBe(once);
        },
      ),
      { numRuns: 1500, seed: 7 },
    );
  });

  it("never throws, whatever the string, and is idempotent there too", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.string({ unit: "grapheme" }),
          fc.string({
            unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
          }),
        ),
        (text) => {
          const once = redact(text);
          expect(redact(once)).toBe(once);
        },
      ),
      { seed: 8 },
    );
  });

  it("changes nothing but the secret in any surroundings of words", () => {
    const secret = fill("ghp_<an36>", generator(9));
    const prose = fc
      .array(fc.constantFrom("the", "build", "failed", "(see", "log)", "again\n", "→", "naïve", "\ud800"), {
        maxLength: 20,
      })
      .map((words) => words.join(" "));
    fc.assert(
      fc.property(prose, prose, (before, after) => {
        expect(redact(`${before} ${secret} ${after}`)).toBe(`${before} [redacted:github-token] ${after}`);
      }),
      { seed: 10 },
    );
  });

  it("grows a text at most by the length of its marks", () => {
    const secrets = Array.from({ length: 500 }, (_, i) => `password=hunter${i}x`).join(" ");
    const clean = redact(secrets);
    expect(clean.match(/\[redacted:password\]/g)).toHaveLength(500);
    expect(clean.length).toBeLessThan(secrets.length * 3);
  });

  it.each([
    "key=",
    "token: ",
    "eyJ",
    "ey.",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "https://a:",
    "://",
    "password=password=",
    "kind: Secret\n",
    "kind: Secret\ndata:\n",
    "glpat-",
    "curl -u ",
    "aws aws ",
    'secret": "',
    "xoxb-1-",
    "a.aaaaaa.",
    "1:A",
    "Bearer ",
    "docker login -x ",
    "machine a login b ",
    "\\n",
    "sk-ant-api03-",
    "[redacted:",
    "| password |\n|---|\n",
    "password,user\n",
    "password: |\n  ",
    "-----END PRIVATE KEY-----\n",
    '"kind":"Secret",',
    "Cookie: a=b; ",
    "mysql -p",
    "echo ",
    "&sig=",
    "secret%3D",
    "seed abandon ",
    ":5432:a:b:",
    "$6$a$",
    'variable "password" { ',
    "insert into a (password, ",
    "password is ",
    "secret_",
    "set-cookie: a=",
  ])("finishes on 256 kB of %j", (piece) => {
    // Long enough for a quadratic algorithm to time out.
    const text = piece.repeat(Math.ceil(256_000 / piece.length));
    expect(redact(text).length).toBeGreaterThan(0);
  });
});

describe("redactValue", () => {
  const secret = fill("ghp_<an36>", generator(11));

  it("reaches every string and keeps the keys", () => {
    const value = {
      tool: "Bash",
      input: { command: `echo ${secret}`, list: [1, null, [`x ${secret}`]] },
      ok: true,
    };
    expect(redactValue(value)).toEqual({
      tool: "Bash",
      input: {
        command: "echo [redacted:github-token]",
        list: [1, null, ["x [redacted:github-token]"]],
      },
      ok: true,
    });
  });

  it("judges a value by its key", () => {
    const random = generator(12);
    expect(
      redactValue({
        password: "hunter22",
        api_key: fill("<an32>", random),
        client_secret: fill("<an32>", random),
      }),
    ).toEqual({
      password: "[redacted:password]",
      api_key: "[redacted:secret]",
      client_secret: "[redacted:secret]",
    });
    const harmless = {
      token: "identifier",
      key: "9a038989604e8da62ecddbe2094b16ce1b778be1",
      password: "${DB_PASSWORD}",
      max_tokens: "4096",
    };
    expect(redactValue(harmless)).toBe(harmless);
  });

  it("returns the same reference when nothing changed", () => {
    const value = { a: [{ b: "nothing to see" }], c: null };
    expect(redactValue(value)).toBe(value);
    expect(redactValue("plain")).toBe("plain");
    expect(redactValue(7)).toBe(7);
  });

  it("shares what did not change and does not touch its input", () => {
    const value = { clean: { a: 1 }, dirty: { b: secret } };
    const before = JSON.stringify(value);
    expect(redactValue(value).clean).toBe(value.clean);
    expect(JSON.stringify(value)).toBe(before);
  });

  it("cuts what is nested too deep to read", () => {
    let value: unknown = secret;
    for (let i = 0; i < 5000; i++) value = { next: value };
    expect(JSON.stringify(redactValue(value))).toContain("[redacted:too-deep]");
  });

  it("keeps a key named __proto__ as a key", () => {
    const value: unknown = JSON.parse(`{"__proto__": {"a": "${secret}"}}`);
    expect(JSON.stringify(redactValue(value))).toBe('{"__proto__":{"a":"[redacted:github-token]"}}');
  });

  it("is idempotent and never throws on JSON values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = redactValue(value);
        expect(redactValue(once)).toEqual(once);
      }),
      { seed: 13 },
    );
  });
});

it("keeps the keys of AWS's documentation, which say EXAMPLE, and only those", () => {
  const shown = ["AKIAIOSFODNN7", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"].map((start) => `${start}EXAMPLE`);
  for (const key of [shown[0], `aws_access_key_id=${shown[0]}`, `aws_secret_access_key=${shown[1]}KEY`])
    expect(redact(`${key}\n`)).toBe(`${key}\n`);
  expect(redact(`aws_access_key_id=${"AKIAIOSFODNN7"}Q2Z5T3L`)).toContain("[redacted:");
});
