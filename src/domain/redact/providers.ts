/**
 * Providers whose name alone makes a random value a secret ("sourcegraph: <hex>"), without a table of their formats.
 */
export const PROVIDERS: readonly string[] =
  "adafruit adobe airtable algolia alibaba aliyun asana atlassian confluence jira aws bitbucket bittrex meraki cloudant cloudflare codecov cohere coinbase confluent contentful datadog discord drone dropbox etsy facebook fastly finicity finnhub flickr freshbooks gitter gocardless heroku hubspot intercom jfrog artifactory kraken kucoin launchdarkly linear linkedin looker mailchimp mailgun mapbox mattermost messagebird netlify newrelic nytimes okta plaid polygon rapidapi sendbird sentry contribsys snyk softlayer sonar sonarqube sonarcloud sourcegraph squarespace sumo sumologic telegram travis trello twitch twitter vercel yandex zendesk".split(
    " ",
  );

let pattern: RegExp | undefined;

function mentioned(name: string): string | undefined {
  pattern ??= new RegExp(
    `(?:^|_)(${PROVIDERS.join("|")})(?:_|$|(?=api|key|token|secret|auth|access|client|app|pass|login))`,
  );
  return pattern.exec(name)?.[1];
}

/** Endings of such names that are not secrets. */
const NO_SECRET =
  /(?:commit|sha\d*|hash|rev|revision|ref|release|version|digest|checksum|integrity|etag|trace|span|run|job|build|url|image|branch|event|message|file|path|name|channel|user|project|page)(?:_id)?$/;

/** The provider that a name mentions, if the name may mean a secret. */
export function providerOf(words: readonly string[]): string | undefined {
  const joined = words.join("_");
  // Most names mention none, so a hook does not compile the pattern.
  if (!PROVIDERS.some((one) => joined.includes(one))) return undefined;
  const provider = mentioned(joined);
  return provider === undefined || NO_SECRET.test(joined) ? undefined : provider;
}
