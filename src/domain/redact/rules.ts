/**
 * Formats that are recognised by themselves: an issuer's literal and the pattern around it.
 * Sources: the issuers' documentation and the formats collected by gitleaks, detect-secrets and trufflehog.
 */

export interface TokenRule {
  readonly rule: string;
  /** The literals that the scanner searches for. */
  readonly anchors: readonly string[];
  /** If set, a zero in the anchors stands for any digit. */
  readonly digits?: true;
  /** Pattern after the anchor. Every quantifier is bounded: this runs on untrusted text. */
  readonly tail: string;
  /** Pattern before the anchor and its possible lengths, longest first. */
  readonly head?: { readonly pattern: string; readonly lengths: readonly number[] };
  /** Entropy in bits per character below which the match counts as a placeholder (default 2.5). */
  readonly entropy?: number;
  /** If set, anchors match in any case. */
  readonly fold?: true;
  /** A pattern for what must follow; by default, no word character. */
  readonly end?: string;
}

const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
const AN = "[A-Za-z0-9]";
const B64 = "[A-Za-z0-9+/]";
const HEX = "[0-9a-f]";
const NOT_W = "(?![A-Za-z0-9_-])";
/** Not a placeholder to fill in. */
const NOT_FILLED = "(?![\\w-]{0,60}(?:EXAMPLE|[xX]{8}))";
const NOT_B64 = "(?![A-Za-z0-9+/=])";

const token = (
  rule: string,
  anchors: string | readonly string[],
  tail: string,
  more: Omit<TokenRule, "rule" | "anchors" | "tail"> = {},
): TokenRule => ({
  rule,
  anchors: typeof anchors === "string" ? [anchors] : anchors,
  tail,
  ...more,
});

export const TOKEN_RULES: readonly TokenRule[] = [
  // Source hosting, packages, builds
  token("github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], `${AN}{36,255}`, { entropy: 3 }),
  token("github-token", "github_pat_", "\\w{82,255}", { entropy: 3 }),
  token("gitlab-token", "glpat-", "[\\w-]{27,300}(?:\\.\\d{2})?\\.[0-9a-z]{9}", { entropy: 3.5 }),
  token("gitlab-token", "glrt-", "t\\d_[\\w-]{27,300}(?:\\.\\d{2})?\\.[0-9a-z]{9}", {
    entropy: 3.5,
  }),
  token("gitlab-token", "glcbt-", "(?:[0-9a-zA-Z]{1,5}_)?[\\w-]{20}", { entropy: 3, end: NOT_W }),
  token(
    "gitlab-token",
    ["glpat-", "gldt-", "glft-", "glffct-", "glrt-", "glsoat-", "glrtr-", "glwt-"],
    "[\\w-]{20,22}",
    { entropy: 3, end: NOT_W },
  ),
  token("gitlab-token", "glimt-", "[\\w-]{25}", { entropy: 3, end: NOT_W }),
  token("gitlab-token", "glptt-", "[\\w-]{40}", { entropy: 3, end: NOT_W }),
  token("gitlab-token", "glagent-", "[\\w-]{50,1024}", { entropy: 3, end: NOT_W }),
  token("gitlab-token", "gloas-", "[\\w-]{64}", { entropy: 3, end: NOT_W }),
  token("gitlab-token", "GR1348941", "[\\w-]{20,50}", { entropy: 3, end: NOT_W }),
  token("gitlab-session", "_gitlab_session=", "[0-9a-z]{32}", { entropy: 3 }),
  token("npm-token", "npm_", `${AN}{36}`, { entropy: 3 }),
  token("pypi-token", ["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"], "[\\w-]{50,1000}"),
  token("rubygems-token", "rubygems_", `${HEX}{48}`),
  token("clojars-token", "CLOJARS_", "[a-z0-9A-Z]{60}", { fold: true }),
  token("crates-token", "cio", `${AN}{32}`, { entropy: 3.5 }),
  token("docker-token", ["dckr_pat_", "dckr_oat_"], "[\\w-]{27,64}", { end: NOT_W }),
  token("sourcegraph-token", "sgp_", "(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}", {
    entropy: 3,
  }),
  token("artifactory-token", "AKCp", `${AN}{69}`, { entropy: 3.5 }),
  token("artifactory-token", "cmVmd", `${AN}{59}`, { entropy: 3.5 }),
  // Short forms of the same: any key with this prefix, delimited like a value; also when masked.
  token("artifactory-token", "AKC", `${AN}{10,128}`, { entropy: 0, end: '(?=[\\s"\\\\]|$)' }),
  token("artifactory-token", "AP", `[0-9A-F](?:(?=${AN}{0,7}\\d)${AN}{8,128}|(?=[a-z])[a-z]{8,128})`, {
    entropy: 0,
    end: '(?=[\\s"\\\\]|$)',
  }),
  token("infracost-token", "ico-", `${AN}{32}`, { entropy: 3 }),
  token("pulumi-token", "pul-", `${HEX}{40}`),
  token("octopus-deploy-key", "API-", "[A-Z0-9]{25,26}", { entropy: 3, end: NOT_W }),
  token("snyk-token", "snyk_uat.", `${HEX}{8}\\.[\\w-]{40,1024}\\.[\\w-]{20,1024}\\.[\\w-]{20,1024}`),
  token("sonar-token", ["squ_", "sqp_", "sqa_"], `${AN}{40}`),
  token("circleci-token", "CCIPAT_", `${AN}{22}_${HEX}{40}`),
  token("buildkite-token", "bkua_", `${HEX}{40}`),
  token("terraform-token", ".atlasv1.", "[\\w=-]{60,70}", {
    head: { pattern: `${AN}{14}`, lengths: [14] },
    entropy: 3.5,
  }),
  token("vault-token", "hvs.", "[\\w-]{24,300}", { entropy: 3.5, end: NOT_W }),
  token("vault-token", "hvb.", "[\\w-]{138,1024}", { entropy: 3.5, end: NOT_W }),
  token("vault-token", "hvr.", "[\\w-]{24,300}", { entropy: 3.5, end: NOT_W }),
  token("postman-key", "PMAK-", "[a-fA-F0-9]{24}-[a-fA-F0-9]{34}", { entropy: 3 }),
  token("prefect-token", ["pnu_", "pnb_"], `${AN}{36}`),
  token("readme-token", "rdme_", "[a-z0-9]{70}"),
  token("scalingo-token", "tk-us-", "[\\w-]{48}", { end: NOT_W }),
  token("harness-key", ["pat.", "sat."], `[\\w-]{22}\\.${AN}{24}\\.${AN}{20}`),
  token(
    "doppler-token",
    ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
    "(?:[\\w-]{2,35}\\.)?[a-zA-Z0-9]{40,44}",
  ),
  token("fly-token", "fo1_", "[\\w-]{43}", { entropy: 3.5, end: NOT_W }),
  token("fly-token", ["fm1a_", "fm1r_", "fm2_"], `${B64}{100,4096}={0,3}`, {
    entropy: 3.5,
    end: NOT_B64,
  }),
  token("heroku-key", "HRKU-", `(?:AA[\\w-]{58}|${UUID})`, { entropy: 3, end: NOT_W }),
  token("netlify-token", "nfp_", `${AN}{36}`),
  token("planetscale-token", ["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], "[\\w=.-]{32,64}", {
    entropy: 3,
  }),
  token("supabase-token", ["sbp_", "sb_secret_"], `(?:${HEX}{40}|[\\w-]{30,48})`, {
    end: NOT_W,
    entropy: 3,
  }),
  token("databricks-token", "dapi", `${HEX}{32}(?:-\\d)?`, { entropy: 3 }),
  token("digitalocean-token", ["dop_v1_", "doo_v1_", "dor_v1_"], "[a-fA-F0-9]{64}"),
  token("tailscale-key", "tskey-", "[a-z]{3,12}-[0-9A-Za-z]{6,24}(?:-[0-9A-Za-z]{16,48})?"),
  token("defined-networking-token", "dnkey-", "[a-zA-Z0-9=_-]{26}-[a-zA-Z0-9=_-]{52}"),
  token("openshift-token", "sha256~", "[\\w-]{43}", { entropy: 3.5, end: NOT_W }),
  token("endorlabs-key", "endr+", "[\\w-]{16}", { end: NOT_W }),
  token("settlemint-token", ["sm_aat_", "sm_pat_", "sm_sat_"], `${AN}{16}`, { entropy: 3 }),
  token("clickhouse-key", "4b1d", `${AN}{38}`, { entropy: 3 }),
  token("age-key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),

  // Clouds
  token("aws-access-key", ["AKIA", "ASIA", "ABIA", "ACCA"], "(?![ACGT]{16})[A-Z0-9]{16}", {
    entropy: 0,
  }),
  token("aws-access-key", "A3T", "(?![ACGT]{17})[A-Z0-9]{17}", { entropy: 0 }),
  token("aws-bedrock-key", "ABSK", `${B64}{109,269}={0,2}`, { entropy: 3, end: NOT_B64 }),
  token("aws-bedrock-key", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", `${B64}{0,4096}={0,2}`, {
    end: NOT_B64,
  }),
  token("gcp-api-key", "AIzaSy", "[\\w-]{33}", { entropy: 3.5, end: NOT_W }),
  token("google-oauth", "GOCSPX-", "[\\w-]{28}", { end: NOT_W }),
  token("google-oauth", "ya29.", "[\\w-]{30,1024}", { entropy: 3.5, end: NOT_W }),
  token("azure-client-secret", "0Q~", "[\\w~.-]{31,34}", {
    head: { pattern: "[\\w~.]{3}", lengths: [3] },
    digits: true,
    entropy: 3,
    end: "(?![\\w~.-])",
  }),
  token("alibaba-access-key", "LTAI", `${AN}{12,24}`, { entropy: 3 }),
  token("cloudflare-origin-key", "v1.0-", `${HEX}{24}-${HEX}{146}`),
  token("yandex-token", "t1.", "[\\w-]{10,400}={0,2}\\.[\\w-]{86}={0,2}"),
  token("yandex-key", "AQVN", "[\\w-]{35,38}", { entropy: 3.5, end: NOT_W }),
  token("okta-token", "SSWS ", "00[\\w-]{40}", { end: NOT_W }),
  token("dynatrace-token", ["dt0c01.", "dt0s01."], "[a-zA-Z0-9]{24}\\.[a-zA-Z0-9]{64}", {
    entropy: 3,
  }),
  token("grafana-token", "glc_", `${B64}{32,400}={0,3}`, { entropy: 3, end: NOT_B64 }),
  token("grafana-token", "glsa_", `${AN}{32}_[a-fA-F0-9]{8}`, { entropy: 3 }),
  token("grafana-token", "eyJrIjoi", `${AN}{70,400}={0,3}`, { entropy: 3, end: "(?![\\w.=-])" }),
  token("new-relic-key", "NRAK-", "[A-Za-z0-9]{27}"),
  token("new-relic-key", "NRJS-", "[a-f0-9]{19}"),
  token("new-relic-key", "NRII-", "[A-Za-z0-9-]{32}"),
  token("sentry-token", "sntryu_", `${HEX}{64}`, { entropy: 3 }),
  token("sentry-token", "sntrys_", `eyJ${B64}{20,400}={0,2}_${B64}{43}`, {
    entropy: 3.5,
    end: NOT_B64,
  }),
  token("launchdarkly-key", ["sdk-", "mob-", "api-"], UUID, { entropy: 3 }),

  // Models
  token("anthropic-key", ["sk-ant-api03-", "sk-ant-admin01-"], "[\\w-]{93}AA", {
    entropy: 3,
    end: NOT_W,
  }),
  token("anthropic-key", ["sk-ant-oat01-", "sk-ant-ort01-", "sk-ant-sid01-"], "[\\w-]{80,120}", {
    entropy: 3,
    end: NOT_W,
  }),
  token("openai-key", "sk-", "(?:[\\w-]{1,120})?T3BlbkFJ[\\w-]{20,120}", {
    entropy: 3,
    end: NOT_W,
  }),
  token("openai-key", ["sk-proj-", "sk-svcacct-", "sk-admin-"], "[\\w-]{40,200}", {
    entropy: 3.5,
    end: NOT_W,
  }),
  token("openrouter-key", "sk-or-v1-", `${HEX}{64}`),
  token("model-api-key", "sk-", "(?=[A-Za-z]{0,24}\\d)[a-zA-Z0-9]{32,64}", {
    entropy: 3.3,
    end: NOT_W,
  }),
  token("huggingface-token", ["hf_", "api_org_"], "[a-zA-Z]{34}", { entropy: 3 }),
  token("groq-key", "gsk_", `${AN}{52}`, { entropy: 3.5 }),
  token("xai-key", "xai-", `${AN}{70,90}`, { entropy: 3.5 }),
  token("nvidia-key", "nvapi-", "[\\w-]{60,70}", { entropy: 3.5, end: NOT_W }),
  token("replicate-token", "r8_", `${AN}{37}`, { entropy: 3.5 }),
  token("perplexity-key", "pplx-", `${AN}{48,56}`, { entropy: 3.5 }),
  token("pinecone-key", "pcsk_", "[\\w]{60,80}", { entropy: 3.5 }),
  token("langsmith-key", ["lsv2_pt_", "lsv2_sk_"], `${HEX}{32}_${HEX}{10}`),
  token("tavily-key", "tvly-", "(?:dev-|prod-)?[A-Za-z0-9-]{32,64}", { entropy: 3.3, end: NOT_W }),
  token("e2b-key", "e2b_", `${HEX}{40}`),
  token("firecrawl-key", "fc-", `${HEX}{32}`, { entropy: 3 }),

  // Unique prefixes: what follows is a key, even if it is made up or shortened.
  token(
    "anthropic-key",
    ["sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-", "sk-ant-ort01-", "sk-ant-sid01-"],
    `${NOT_FILLED}[\\w-]{16,200}`,
    { entropy: 0, end: NOT_W },
  ),
  token("openai-key", ["sk-proj-", "sk-svcacct-"], `${NOT_FILLED}[\\w-]{16,200}`, { entropy: 0, end: NOT_W }),
  token("openrouter-key", "sk-or-v1-", `${NOT_FILLED}${AN}{16,200}`, { entropy: 0 }),
  token("github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], `${NOT_FILLED}${AN}{16,255}`, { entropy: 0 }),
  token("github-token", "github_pat_", `${NOT_FILLED}\\w{16,255}`, { entropy: 0 }),
  token("gitlab-token", "glpat-", `${NOT_FILLED}[\\w-]{16,300}`, { entropy: 0, end: NOT_W }),

  // Work and conversation
  token("slack-token", "xapp-", "\\d-[A-Za-z0-9]{5,20}-\\d{5,20}-[A-Za-z0-9]{10,128}", {
    end: NOT_W,
  }),
  token("slack-token", ["xoxe.xoxb-", "xoxe.xoxp-"], "\\d-[A-Za-z0-9]{80,300}", { end: NOT_W }),
  token("slack-token", "xoxe-", "\\d-[A-Za-z0-9]{80,300}", { end: NOT_W }),
  token(
    "slack-token",
    ["xoxb-", "xoxp-", "xoxe-", "xoxo-", "xoxs-", "xoxa-", "xoxr-", "xoxc-"],
    "(?:\\d{5,20}-){1,4}[A-Za-z0-9]{8,128}",
    { end: NOT_W },
  ),
  token("slack-token", ["xoxa-", "xoxr-"], "(?:\\d-|(?=[A-Za-z]{0,20}\\d))[0-9a-zA-Z]{8,48}", {
    end: NOT_W,
    entropy: 3,
  }),
  token("slack-token", "xoxd-", "[\\w%/+=-]{40,400}", { entropy: 3.5, end: "(?![\\w%/+=-])" }),
  token("slack-webhook", "hooks.slack.com/", "(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{40,100}", {
    entropy: 0,
    end: "(?![A-Za-z0-9+/_-])",
  }),
  token("teams-webhook", "webhook.office.com/webhookb2/", `${UUID}@${UUID}/IncomingWebhook/[a-z0-9]{32}/${UUID}`),
  token("discord-webhook", ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], "\\d{15,22}/[\\w-]{60,80}", {
    entropy: 0,
    end: NOT_W,
  }),
  token("telegram-token", "0:A", "[\\w-]{34}", {
    head: { pattern: "\\d{4,15}", lengths: [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4] },
    digits: true,
    entropy: 3,
    end: NOT_W,
  }),
  token("atlassian-token", ["ATATT3", "ATCTT3", "ATSTT3"], "[\\w=-]{60,300}", {
    entropy: 3.5,
    end: "(?![\\w=-])",
  }),
  token("bitbucket-token", "ATBB", `${AN}{32}`, { entropy: 3 }),
  token("linear-key", "lin_api_", `${AN}{40}`),
  token("linear-key", "lin_oauth_", `${HEX}{64}`),
  token("notion-token", "ntn_", "\\d{11}[A-Za-z0-9]{35}", { entropy: 3.5 }),
  token("notion-token", "secret_", `${AN}{43}`, { entropy: 3.5 }),
  token("airtable-token", "pat", `${AN}{14}\\.${HEX}{64}`, { entropy: 3 }),
  token("asana-token", "0/", "\\d{13,16}(?:/\\d{13,16})?:[0-9a-f]{32}", { digits: true }),
  token("typeform-token", "tfp_", "[\\w.=-]{40,64}", { entropy: 3, end: "(?![\\w.=-])" }),
  token("figma-token", ["figd_", "figo_"], "[\\w-]{36,60}", { entropy: 3, end: NOT_W }),
  token("contentful-token", "CFPAT-", "[\\w-]{43}", { end: NOT_W }),
  token("frameio-token", "fio-u-", "[\\w=-]{64}", { end: "(?![\\w=-])" }),
  token("beamer-token", "b_", "[a-z0-9=_-]{44}", { entropy: 3.5, end: "(?![\\w=-])" }),
  token("vault-token", "s.", "(?=[A-Za-z]{0,23}\\d)(?=[a-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}", {
    entropy: 3.5,
    end: "(?![\\w(.])",
  }),

  // Mail and messages
  token("sendgrid-key", "SG.", "(?:[\\w-]{22}\\.[\\w-]{43}|[\\w=-]{16,32}\\.[\\w=-]{33,49})", {
    entropy: 3,
    end: NOT_W,
  }),
  token("sendinblue-key", ["xkeysib-", "xsmtpsib-"], `${HEX}{64}-[A-Za-z0-9]{16}`),
  token("mailchimp-key", "-us0", "\\d?", {
    head: { pattern: "[0-9a-z]{32}", lengths: [32] },
    digits: true,
    entropy: 3,
  }),
  token("mailgun-key", ["key-", "pubkey-"], `${HEX}{32}`, { entropy: 3 }),
  token("twilio-key", "SK", "[0-9a-f]{32}", { entropy: 3 }),
  token("twilio-key", "AC", "[a-z0-9]{32}", { entropy: 0 }),

  // Money and shops
  token("stripe-key", ["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"], `${AN}{10,128}`, {
    entropy: 2.5,
  }),
  token("stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/=]{24,80}", { entropy: 3 }),
  token("square-token", ["EAAA", "sq0atp-", "sq0csp-", "sq0idp-"], "[\\w-]{22,60}", {
    entropy: 3,
    end: NOT_W,
  }),
  token("shopify-token", ["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"], "[a-fA-F0-9]{32}"),
  token("shippo-token", ["shippo_live_", "shippo_test_"], "[a-fA-F0-9]{40}"),
  token("duffel-token", ["duffel_live_", "duffel_test_"], "[\\w=-]{43}", { end: "(?![\\w=-])" }),
  token("easypost-token", ["EZAK", "EZTK"], `${AN}{54}`),
  token("flutterwave-key", ["FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-", "FLWPUBK-"], "[a-hA-H0-9]{12,32}(?:-X)?", {
    entropy: 2,
  }),
  token("lob-key", ["live_", "test_"], `(?:pub_${HEX}{31}|${HEX}{35})`, { entropy: 3 }),
  token("gocardless-token", "live_", "(?=[A-Za-z=_-]{0,39}\\d)[A-Za-z0-9=_-]{40}", {
    entropy: 3.7,
    end: "(?![\\w=-])",
  }),
  token("plaid-token", ["access-sandbox-", "access-development-", "access-production-"], UUID),
  token("facebook-token", "00|", "[\\w-]{27,40}", {
    head: { pattern: "\\d{13,14}", lengths: [14, 13] },
    digits: true,
    entropy: 3,
    end: NOT_W,
  }),
  token("facebook-token", ["EAAM", "EAAC", "EAAG", "EAAB"], `${AN}{90,400}`, { entropy: 3.5 }),
  token("twitter-bearer", "AAAAAAAAAAAAAAAAAAAAAA", "(?=[A-Za-z%]{0,60}\\d)[A-Za-z0-9%]{80,100}", {
    entropy: 0,
  }),
  token("dropbox-token", "sl.", "[\\w=-]{130,1500}", { entropy: 3.5, end: "(?![\\w=-])" }),
  token("mapbox-token", ["pk.", "sk."], "eyJ[a-zA-Z0-9_-]{50,120}\\.[\\w-]{22}", {
    entropy: 3.5,
    end: NOT_W,
  }),
  token("maxmind-key", "_mmk", "", {
    head: { pattern: `${AN}{6}_${AN}{29}`, lengths: [36] },
    entropy: 3.5,
  }),
  token("posthog-key", ["phx_", "phs_"], `${AN}{40,50}`, { entropy: 3.5 }),
  token("adobe-secret", "p8e-", "[a-zA-Z0-9]{32}"),
  token("intra42-secret", ["s-s4t2ud-", "s-s4t2af-"], "[a-fA-F0-9]{64}"),
  token(
    "authress-key",
    ["sc_", "ext_", "scauth_", "authress_"],
    "[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}",
  ),
  token(
    "1password-key",
    "A3-",
    "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
    { entropy: 3.3, end: NOT_W },
  ),
  token("1password-token", "ops_", `eyJ${B64}{150,4096}={0,3}`, { entropy: 3.5, end: NOT_B64 }),
  token("vercel-token", "vercel_blob_rw_", "[A-Za-z0-9]{10,32}_[A-Za-z0-9]{20,64}"),
  token("telegram-token", "api.telegram.org/bot", "\\d{4,15}:[\\w-]{30,50}", { entropy: 0, end: NOT_W }),
  token("wallet-key", ["xprv", "tprv", "yprv", "zprv"], "[1-9A-HJ-NP-Za-km-z]{100,112}", { entropy: 4 }),
  token("wallet-key", ["Kw", "Kx", "Ky", "Kz", "L1", "L2", "L3", "L4", "L5"], "[1-9A-HJ-NP-Za-km-z]{50}", {
    entropy: 4,
  }),
  token("wallet-key", ["5H", "5J", "5K"], "[1-9A-HJ-NP-Za-km-z]{49}", { entropy: 4 }),
  token("password-hash", ["$2a$", "$2b$", "$2y$"], "\\d\\d\\$[./A-Za-z0-9]{53}", { entropy: 0, end: "" }),
  token(
    "password-hash",
    ["$1$", "$5$", "$6$", "$y$", "$apr1$"],
    "(?:rounds=\\d{1,9}\\$|j\\w{1,4}\\$)?[./A-Za-z0-9]{1,32}\\$[./A-Za-z0-9]{22,128}",
    { end: "" },
  ),
  token("password-hash", ["$argon2"], "(?:id|i|d)\\$[\\w=,$]{1,60}\\$[A-Za-z0-9+/]{8,64}\\$[A-Za-z0-9+/]{16,128}", {
    end: "",
  }),
  token("password-hash", ["{SSHA}", "{SHA}", "{CRYPT}"], "[A-Za-z0-9+/$.=]{26,128}", { end: "" }),
  token("softlayer-key", "api.softlayer.com/soap/v3/", "[a-z0-9]{64}"),
  token("azure-sas", ["&sig=", "?sig="], "[A-Za-z0-9%+/=]{40,120}", {
    entropy: 3.5,
    end: "(?![A-Za-z0-9%+/=])",
  }),
];
