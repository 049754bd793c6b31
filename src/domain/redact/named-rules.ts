/** Shapes that mean something only under a name ("heroku_api_key = <uuid>"): they say whose secret it is. */
export interface NamedRule {
  readonly rule: string;
  /** Words of a name, lower case; separators inside a word are spelled with `[_.-]?`. */
  readonly name: string;
  /** How such names begin, literally. */
  readonly leads: readonly string[];
  /** The whole value. */
  readonly value: string;
  readonly entropy?: number;
}

const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

const named = (rule: string, name: string, value: string, entropy?: number): NamedRule => ({
  rule,
  name,
  leads: name.split("|").map((alternative) => /^[a-z]*/.exec(alternative)?.[0] ?? ""),
  value,
  ...(entropy === undefined ? {} : { entropy }),
});

export const NAMED_RULES: readonly NamedRule[] = [
  named("adafruit-key", "adafruit", "[a-z0-9_-]{32}"),
  named("adobe-client", "adobe", "[a-f0-9]{32}"),
  named("airtable-key", "airtable", "[a-z0-9]{17}"),
  named("algolia-key", "algolia", "[a-z0-9]{32}"),
  named("alibaba-secret", "alibaba|aliyun", "[a-z0-9]{30}"),
  named("asana-client", "asana", "[0-9]{16}|[a-z0-9]{32}"),
  named("atlassian-token", "atlassian|confluence|jira", "[a-z0-9]{20}[a-f0-9]{4}", 3),
  named("aws-secret-key", "aws", "[a-z0-9/+]{40}", 3.7),
  named("azure-storage-key", "account[_.-]?key|shared[_.-]?access[_.-]?key", "[a-z0-9+/]{43,86}={0,2}", 3.5),
  named("bitbucket-client", "bitbucket", "[a-z0-9]{32}|[a-z0-9=_-]{64}"),
  named("bittrex-key", "bittrex", "[a-z0-9]{32}"),
  named("cisco-meraki-key", "meraki", "[0-9a-f]{40}", 3),
  named("cloudant-password", "cloudant", "[0-9a-f]{64}|[a-z]{24}"),
  named("cloudflare-key", "cloudflare", "[a-z0-9_-]{40}|[a-f0-9]{37}", 3),
  named("codecov-token", "codecov", `[a-z0-9]{32}|${UUID}`),
  named("cohere-token", "cohere|co[_.-]api[_.-]key", "[a-z0-9]{40}", 3.5),
  named("coinbase-token", "coinbase", "[a-z0-9_-]{64}"),
  named("confluent-key", "confluent", "[a-z0-9]{16}|[a-z0-9/+]{64}"),
  named("contentful-token", "contentful", "[a-z0-9=_-]{43}"),
  named("datadog-key", "datadog|dd[_.-]api[_.-]key|dd[_.-]app[_.-]key", "[a-z0-9]{32}|[a-z0-9]{40}"),
  named("discord-client", "discord", "[a-f0-9]{64}|[0-9]{18,19}|[a-z0-9=_-]{32}"),
  named("drone-token", "drone[_.-]?ci", "[a-z0-9]{32}"),
  named("dropbox-token", "dropbox", "[a-z0-9]{15}|[a-z0-9]{11}a{10}[a-z0-9=_-]{43}"),
  named("etsy-token", "etsy", "[a-z0-9]{24}", 3),
  named("facebook-secret", "facebook", "[a-f0-9]{32}", 3),
  named("fastly-token", "fastly", "[a-z0-9=_-]{32}"),
  named("finicity-token", "finicity", "[a-f0-9]{32}|[a-z0-9]{20}"),
  named("finnhub-token", "finnhub", "[a-z0-9]{20}"),
  named("flickr-token", "flickr", "[a-z0-9]{32}"),
  named("freemius-key", "secret[_.-]?key", "sk_[^\\s\"']{29}", 3),
  named("freshbooks-token", "freshbooks", "[a-z0-9]{64}"),
  named("gitter-token", "gitter", "[a-z0-9_-]{40}"),
  named("gocardless-token", "gocardless", "live_[a-z0-9=_-]{40}"),
  named("heroku-key", "heroku", UUID),
  named("hubspot-key", "hubspot", UUID),
  named("ibm-cos-key", "cos|hmac", "[a-f0-9]{48}"),
  named("intercom-key", "intercom", "[a-z0-9=_-]{60}"),
  named("jfrog-key", "jfrog|artifactory|bintray|xray", "[a-z0-9]{73}|[a-z0-9]{64}"),
  named("kraken-token", "kraken", "[a-z0-9/=_+-]{80,90}"),
  named("kucoin-key", "kucoin", `[a-f0-9]{24}|${UUID}`),
  named("launchdarkly-token", "launch[_.-]?darkly", "[a-z0-9=_-]{40}"),
  named("linear-secret", "linear", "[a-f0-9]{32}"),
  named("linkedin-client", "linked[_.-]?in", "[a-z0-9]{14}|[a-z0-9]{16}"),
  named("looker-key", "looker", "[a-z0-9]{20}|[a-z0-9]{24}"),
  named("mailchimp-key", "mailchimp", "[a-f0-9]{32}-us\\d{1,2}"),
  named("mailgun-key", "mailgun", "[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}|(?:pub)?key-[a-f0-9]{32}"),
  named("mapbox-token", "mapbox", "pk\\.[a-z0-9]{60}\\.[a-z0-9]{22}"),
  named("mattermost-token", "mattermost", "[a-z0-9]{26}"),
  named("messagebird-token", "message[_.-]?bird", `[a-z0-9]{25}|${UUID}`),
  named("netlify-token", "netlify", "[a-z0-9=_-]{40,46}", 3),
  named("new-relic-key", "new[_.-]?relic", "[a-z0-9]{64}|[a-f0-9]{36}nral"),
  named("nytimes-token", "nytimes|new[_.-]?york[_.-]?times", "[a-z0-9=_-]{32}"),
  named("okta-token", "okta", "00[\\w=-]{40}", 3.5),
  named("plaid-key", "plaid", "[a-z0-9]{24}|[a-z0-9]{30}", 3),
  named("polygon-key", "polygon", "[a-z0-9]{32}"),
  named("private-ai-token", "private[_.-]?ai", "[a-z0-9]{32}", 3),
  named("rapidapi-key", "rapid[_.-]?api", "[a-z0-9_-]{50}"),
  named("sendbird-token", "sendbird", `[a-f0-9]{40}|${UUID}`),
  named("sentry-token", "sentry", "[a-f0-9]{64}", 3),
  named("sidekiq-secret", "contribsys", "[a-f0-9]{8}:[a-f0-9]{8}", 0),
  named("snyk-token", "snyk", UUID),
  named("softlayer-key", "softlayer|sl[_.-]?api", "[a-z0-9]{64}"),
  named("sonar-token", "sonar(?:qube|cloud)?", "(?:sq[a-z]_)?[a-z0-9=_-]{40}"),
  named("sourcegraph-token", "sourcegraph", "[a-f0-9]{40}", 3),
  named("squarespace-token", "squarespace", UUID),
  named("sumologic-access-id", "sumo|sumologic", "su[a-z0-9]{12}", 3),
  named("sumologic-access-key", "sumo|sumologic", "[a-z0-9]{64}", 3),
  named("telegram-token", "telegram", "[0-9]{5,16}:a[a-z0-9_-]{34}"),
  named("travis-token", "travis", "[a-z0-9]{22}", 3),
  named("trello-token", "trello", "[a-z0-9-]{32}"),
  named("twitch-token", "twitch", "[a-z0-9]{30}", 3),
  named(
    "twitter-key",
    "twitter",
    "[a-z0-9]{25}|[a-z0-9]{45}|[a-z0-9]{50}|[0-9]{15,25}-[a-z0-9]{20,40}|a{22}[a-z0-9%]{80,100}",
    3,
  ),
  named("vercel-token", "vercel", "[a-z0-9]{24}", 3.3),
  named("yandex-key", "yandex", "aqvn[a-z0-9_-]{35,38}|yc[a-z0-9_-]{38}"),
  named("zendesk-key", "zendesk", "[a-z0-9]{40}", 3),
];
