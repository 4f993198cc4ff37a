// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what shells and templates fill in is no secret
import { describe, expect, test } from "vitest";
import { findSecrets, maskCutSecrets, maskSecrets } from "../../src/text/secrets.ts";
import { withinReason } from "../helpers/within-reason.ts";

/* Secrets are drawn when the tests run, so that nobody who looks for leaked ones finds any in this file. */

const DIGITS = "0123456789";
const SMALL = "abcdefghijklmnopqrstuvwxyz";
const CAPITAL = SMALL.toUpperCase();

type Draw = (length: number) => string;

/** What vendors make their secrets of, drawn from a seed. */
function letters(seed: number) {
  let state = seed * 2654435761 + 12345;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
  const of =
    (alphabet: string): Draw =>
    (length) =>
      Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join("");
  const hex = of("0123456789abcdef");
  return {
    any: of(SMALL + CAPITAL + DIGITS),
    small: of(SMALL + DIGITS),
    capital: of(CAPITAL + DIGITS),
    word: of(SMALL + CAPITAL),
    dash: of(`${SMALL + CAPITAL + DIGITS}-_`),
    base64: of(`${SMALL + CAPITAL + DIGITS}+/`),
    base32: of(`${CAPITAL}234567`),
    bech32: of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    digits: of("123456789"),
    hex,
    uuid: () => [8, 4, 4, 4, 12].map(hex).join("-"),
  };
}
type Letters = ReturnType<typeof letters>;

/** A text around a secret, or around several. */
type Example = (of: Letters) => [before: string, secret: string, after?: string];

const alone =
  (secret: (of: Letters) => string): Example =>
  (of) => ["see ", secret(of), " here"];
const base64Of = (text: string) => Buffer.from(text).toString("base64");
const pem = (name: string, end: string, of: Letters) =>
  [
    `-----BEGIN ${name}-----`,
    of.base64(64),
    of.base64(64),
    `${of.base64(30)}==`,
    `-----END ${name}-----`,
  ].join(end);
const jwt = ({ dash }: Letters) =>
  `${base64Of('{"alg":"HS256","typ":"JWT"}').replaceAll("=", "")}.${base64Of('{"sub":"1234567890"}').replaceAll("=", "")}.${dash(43)}`;

const KINDS: Record<string, Example> = {
  // Models
  "OpenAI key": alone(({ any }) => `sk-${any(20)}T3BlbkFJ${any(20)}`),
  "OpenAI key of a project": alone(({ dash }) => `sk-proj-${dash(74)}T3BlbkFJ${dash(74)}`),
  "OpenAI key of a service": alone(({ dash }) => `sk-svcacct-${dash(58)}T3BlbkFJ${dash(58)}`),
  "OpenAI key of an admin": alone(({ dash }) => `sk-admin-${dash(58)}T3BlbkFJ${dash(58)}`),
  "Anthropic key": alone(({ dash }) => `sk-ant-api03-${dash(93)}AA`),
  "Anthropic token": alone(({ dash }) => `sk-ant-oat01-${dash(93)}AA`),
  "Anthropic admin key": alone(({ dash }) => `sk-ant-admin01-${dash(93)}AA`),
  "Google key (Gemini)": alone(({ dash }) => `AIza${dash(35)}`),
  "Groq key": alone(({ any }) => `gsk_${any(52)}`),
  "xAI key": alone(({ any }) => `xai-${any(80)}`),
  "Mistral key": ({ any }) => ["MISTRAL_API_KEY=", any(32), "\nX=1"],
  "Cohere key": ({ any }) => ["CO_API_KEY=", any(40)],
  "Replicate token": alone(({ any }) => `r8_${any(37)}`),
  "Perplexity key": alone(({ any }) => `pplx-${any(48)}`),
  "OpenRouter key": alone(({ hex }) => `sk-or-v1-${hex(64)}`),
  "DeepSeek key": alone(({ hex }) => `sk-${hex(32)}`),
  "Cerebras key": alone(({ small }) => `csk-${small(48)}`),
  "Fireworks key": alone(({ any }) => `fw_${any(24)}`),
  "Together key": alone(({ dash }) => `tgp_v1_${dash(43)}`),
  "Together key by its name": ({ hex }) => ["TOGETHER_API_KEY=", hex(64)],
  "ElevenLabs key": alone(({ hex }) => `sk_${hex(48)}`),
  "Hugging Face token": alone(({ word }) => `hf_${word(34)}`),
  "Hugging Face token of an organisation": alone(({ word }) => `api_org_${word(34)}`),
  "NVIDIA key": alone(({ dash }) => `nvapi-${dash(64)}`),
  "LangSmith key": alone(({ hex }) => `lsv2_pt_${hex(32)}_${hex(10)}`),
  "Langfuse key": alone(({ uuid }) => `sk-lf-${uuid()}`),
  "Pinecone key": alone(({ any }) => `pcsk_${any(6)}_${any(63)}`),
  "Tavily key": alone(({ any }) => `tvly-dev-${any(32)}`),
  "Firecrawl key": alone(({ hex }) => `fc-${hex(32)}`),
  "Deepgram key": ({ hex }) => ["DEEPGRAM_API_KEY: ", hex(40)],
  "Weights & Biases key": ({ hex }) => ["export WANDB_API_KEY=", hex(40)],
  "Voyage key": alone(({ dash }) => `pa-${dash(43)}`),
  "Jina key": alone(({ any }) => `jina_${any(60)}`),
  "Zhipu key": ({ hex, any }) => ["ZHIPU_API_KEY=", `${hex(32)}.${any(16)}`],
  // Clouds
  "AWS access key": alone(({ base32 }) => `AKIA${base32(16)}`),
  "AWS temporary key": alone(({ base32 }) => `ASIA${base32(16)}`),
  "AWS secret key": ({ base64 }) => ["aws_secret_access_key = ", base64(40), "\n"],
  "AWS secret key in JSON": ({ base64 }) => ['"SecretAccessKey": "', base64(40), '"'],
  "AWS session token": ({ base64 }) => ["AWS_SESSION_TOKEN=", `IQoJb3JpZ2lu${base64(300)}==`, "\n"],
  "AWS Bedrock key": alone(({ base64 }) => `ABSK${base64(120)}=`),
  "AWS signed address": ({ hex }) => ["https://b.s3.amazonaws.com/k?X-Amz-Signature=", hex(64), "&x=1"],
  "Alibaba key": alone(({ any }) => `LTAI${any(20)}`),
  "Google service account": (of) => ['"private_key": "', pem("PRIVATE KEY", "\\n", of), '\\n",'],
  "Google OAuth secret": alone(({ dash }) => `GOCSPX-${dash(28)}`),
  "Google OAuth token": alone(({ dash }) => `ya29.${dash(120)}`),
  "Google refresh token": alone(({ dash }) => `1//0${dash(60)}`),
  "Azure storage key": ({ base64 }) => [
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=",
    `${base64(86)}==`,
    ";E=1",
  ],
  "Azure storage key by its mark": alone(({ any }) => `${any(76)}+ASt${any(4)}==`),
  "Azure AD secret": alone(({ any, dash }) => `${any(3)}8Q~${dash(34)}`),
  "Azure shared access signature": ({ any }) => [
    "https://a.blob.core.windows.net/c?sv=2022-11-02&sig=",
    `${any(43)}%3D`,
    "&se=1",
  ],
  "Azure Service Bus key": ({ base64 }) => [
    "Endpoint=sb://a/;SharedAccessKeyName=R;SharedAccessKey=",
    `${base64(43)}=`,
    "",
  ],
  "Azure DevOps token": ({ small }) => ["AZURE_DEVOPS_PAT_TOKEN=", small(52)],
  "DigitalOcean token": alone(({ hex }) => `dop_v1_${hex(64)}`),
  "Heroku key": ({ uuid }) => ["HEROKU_API_KEY=", uuid()],
  "Heroku key of the new kind": alone(({ dash }) => `HRKU-AA${dash(58)}`),
  "Cloudflare token": ({ dash }) => ["CLOUDFLARE_API_TOKEN=", dash(40), "\n"],
  "Cloudflare global key": ({ hex }) => ['cloudflare_api_key: "', hex(37), '"'],
  "Cloudflare origin key": alone(({ hex }) => `v1.0-${hex(24)}-${hex(146)}`),
  "Fastly token": ({ dash }) => ["FASTLY_API_TOKEN=", dash(32), "\n"],
  "Vercel token": ({ any }) => ["VERCEL_TOKEN=", any(24)],
  "Netlify token": alone(({ any }) => `nfp_${any(36)}`),
  "Supabase token": alone(({ hex }) => `sbp_${hex(40)}`),
  "Supabase secret key": alone(({ dash }) => `sb_secret_${dash(31)}`),
  "PlanetScale password": alone(({ dash }) => `pscale_pw_${dash(43)}`),
  "PlanetScale token": alone(({ dash }) => `pscale_tkn_${dash(43)}`),
  "Neon key": alone(({ small }) => `napi_${small(64)}`),
  "Neon password": ({ any }) => ["postgres://neon:", `npg_${any(12)}`, "@ep-x.neon.tech/db"],
  "Snowflake password": ({ any }) => ["SNOWFLAKE_PASSWORD=", `${any(10)}9!a`, "\n"],
  "Databricks token": alone(({ hex }) => `dapi${hex(32)}`),
  "Fly.io token": alone(({ base64 }) => `fm2_${base64(120)}`),
  "Aiven password": alone(({ any }) => `AVNS_${any(19)}`),
  "Tailscale key": alone(({ any }) => `tskey-auth-${any(12)}CNTRL-${any(32)}`),
  "Hetzner token": ({ any }) => ["HCLOUD_TOKEN=", any(64)],
  "Linode token": ({ hex }) => ["linode_token: ", hex(64)],
  "OpenShift token": alone(({ dash }) => `sha256~${dash(43)}`),
  // Databases and addresses
  "MongoDB address": ({ any }) => ["mongodb+srv://ada:", any(12), "@cluster0.x.mongodb.net/db"],
  "PostgreSQL address": ({ any }) => ["postgresql://ada:", any(300), "@db.example.com:5432/x"],
  "MySQL address": ({ any }) => ["mysql://root:", `${any(4)}!${any(4)}`, "@localhost/x"],
  "Redis address": ({ any }) => ["redis://:", any(20), "@cache:6379/0"],
  "AMQP address": ({ any }) => ["amqps://ada:", any(9), "@rabbit/vhost"],
  "basic authentication in an address": ({ any }) => ["https://ada:", any(8), "@example.com/x"],
  "token in an address": ({ hex }) => ["git clone https://", hex(40), "@github.com/a/b"],
  "connection string": ({ any }) => ["Server=a;User Id=sa;Password=", `${any(9)}1!`, ";Encrypt=true"],
  "libpq settings": ({ any }) => ["host=a user=b password=", `${any(9)}1x`, " dbname=c"],
  "Oracle address": ({ any }) => ["jdbc:oracle:thin:scott/", any(8), "@host:1521:x"],
  ".pgpass": ({ any }) => ["db.example.com:5432:app:ada:", any(10), "\n"],
  "SQL of a user": ({ any }) => ["CREATE USER ada IDENTIFIED BY '", any(10), "'"],
  "SQL of a role": ({ any }) => ["ALTER ROLE ada WITH PASSWORD '", `${any(10)}7x`, "'"],
  "query of an address": ({ any }) => ["https://x.example.com/v1?access_token=", any(40), "&page=2"],
  // Headers
  "Authorization: Bearer": ({ any }) => ["Authorization: Bearer ", any(30), "\n"],
  "Authorization: Basic": ({ any }) => ["Authorization: Basic ", base64Of(`ada:${any(9)}`), "\n"],
  "Authorization: token": ({ hex }) => ["-H 'Authorization: token ", hex(40), "'"],
  "Authorization without a scheme": ({ any }) => ['"authorization": "', any(32), '"'],
  "Splunk token": ({ uuid }) => ["Authorization: Splunk ", uuid(), '"'],
  "Okta token": ({ dash }) => ["Authorization: SSWS ", `00${dash(40)}`, "\n"],
  "x-api-key": ({ any }) => ['-H "x-api-key: ', any(32), '"'],
  "PRIVATE-TOKEN": ({ any }) => ["PRIVATE-TOKEN: ", any(20), "\n"],
  "X-Vault-Token": ({ any }) => ["X-Vault-Token: ", any(24), "\n"],
  "Ocp-Apim-Subscription-Key": ({ hex }) => ["Ocp-Apim-Subscription-Key: ", hex(32), "\n"],
  Cookie: ({ any }) => ["Cookie: ", `theme=dark; sid=${any(32)}`, "\n"],
  "Set-Cookie": ({ any }) => ["Set-Cookie: ", `session=${any(40)}`, ' "'],
  "JSON web token": alone(jwt),
  // Code
  "GitHub token": alone(({ any }) => `ghp_${any(36)}`),
  "GitHub OAuth token": alone(({ any }) => `gho_${any(36)}`),
  "GitHub user token": alone(({ any }) => `ghu_${any(36)}`),
  "GitHub app token": alone(({ any }) => `ghs_${any(36)}`),
  "GitHub refresh token": alone(({ any }) => `ghr_${any(76)}`),
  "GitHub fine-grained token": alone(({ any }) => `github_pat_${any(22)}_${any(59)}`),
  ...Object.fromEntries(
    ["pat", "dt", "rt", "ptt", "ft", "soat", "oas", "cbt", "imt", "agent", "ffct"].map((use) => [
      `GitLab token gl${use}`,
      alone(({ dash }) => `gl${use}-${dash(26)}`),
    ]),
  ),
  "GitLab registration token": alone(({ dash }) => `GR1348941${dash(20)}`),
  "GitLab session": ({ hex }) => ["_gitlab_session=", hex(32), ";"],
  "Bitbucket password": alone(({ any }) => `ATBB${any(32)}`),
  "Atlassian token": alone(({ dash }) => `ATATT3${dash(186)}`),
  "npm token": alone(({ any }) => `npm_${any(36)}`),
  ".npmrc": ({ uuid }) => ["//registry.example.com/:_authToken=", uuid(), "\n"],
  ".npmrc of old": ({ any }) => ["_auth=", base64Of(`ada:${any(12)}`), "\n"],
  "PyPI token": alone(({ dash }) => `pypi-AgEIcHlwaS5vcmc${dash(150)}`),
  "RubyGems key": alone(({ hex }) => `rubygems_${hex(48)}`),
  "crates.io token": alone(({ any }) => `cio${any(32)}`),
  "NuGet key": alone(({ small }) => `oy2${small(43)}`),
  "NuGet password": ({ any }) => ['<add key="ClearTextPassword" value="', any(12), '" />'],
  "Docker Hub token": alone(({ dash }) => `dckr_pat_${dash(27)}`),
  "docker's settings": ({ any }) => ['{"auths":{"r.io":{"auth": "', base64Of(`ada:${any(12)}`), '"}}}'],
  "Maven password": ({ any }) => ["<password>", `${any(12)}1x`, "</password>"],
  "Artifactory key": alone(({ any }) => `AKCp${any(69)}`),
  "Artifactory reference token": alone(({ any }) => `cmVmd${any(59)}`),
  "Sourcegraph token": alone(({ hex }) => `sgp_${hex(16)}_${hex(40)}`),
  "SonarQube token": alone(({ hex }) => `squ_${hex(40)}`),
  "Snyk token": ({ uuid }) => ["SNYK_TOKEN=", uuid()],
  "CircleCI token": alone(({ any, hex }) => `CCIPAT_${any(22)}_${hex(40)}`),
  "Travis token": ({ any }) => ["TRAVIS_TOKEN=", any(22)],
  "Buildkite token": alone(({ small }) => `bkua_${small(40)}`),
  "Drone token": ({ any }) => ["DRONE_TOKEN=", any(32)],
  "Postman key": alone(({ hex }) => `PMAK-${hex(24)}-${hex(34)}`),
  "RapidAPI key": ({ small }) => ["X-RapidAPI-Key: ", small(50), "\n"],
  "Terraform Cloud token": alone(({ any, dash }) => `${any(14)}.atlasv1.${dash(67)}`),
  "Pulumi token": alone(({ hex }) => `pul-${hex(40)}`),
  "Sidekiq key": ({ hex }) => ["BUNDLE_GEMS__CONTRIBSYS__COM=", `${hex(8)}:${hex(8)}`, "\n"],
  "Rails key": ({ hex }) => ["SECRET_KEY_BASE=", hex(128), "\n"],
  "Django key": ({ any }) => ["SECRET_KEY = '", `django-insecure-${any(50)}`, "'"],
  // Vaults
  "Vault token": alone(({ dash }) => `hvs.${dash(95)}`),
  "Vault batch token": alone(({ dash }) => `hvb.${dash(140)}`),
  "Doppler token": alone(({ any }) => `dp.pt.${any(43)}`),
  "1Password token": alone(({ base64 }) => `ops_eyJ${base64(260)}`),
  "1Password key": alone(({ capital: c }) => `A3-${c(6)}-${c(6)}-${c(5)}-${c(5)}-${c(5)}-${c(5)}`),
  "age key": alone(({ bech32 }) => `AGE-SECRET-KEY-1${bech32(58)}`),
  // Messages
  "Slack bot token": alone(({ digits, any }) => `xoxb-${digits(12)}-${digits(12)}-${any(24)}`),
  "Slack user token": alone(({ digits, hex }) => `xoxp-${digits(12)}-${digits(12)}-${digits(12)}-${hex(32)}`),
  "Slack app token": alone(({ capital, digits, hex }) => `xapp-1-${capital(11)}-${digits(13)}-${hex(64)}`),
  "Slack webhook": ({ capital, any }) => [
    "https://",
    `hooks.slack.com/services/T${capital(10)}/B${capital(10)}/${any(24)}`,
  ],
  "Discord bot token": alone(({ any, dash }) => `MT${any(22)}.${any(6)}.${dash(38)}`),
  "Discord webhook": ({ digits, dash }) => ["https://discord.com/api/webhooks/", `${digits(18)}/${dash(68)}`],
  "Telegram bot token": alone(({ digits, dash }) => `${digits(10)}:AA${dash(33)}`),
  "Teams webhook": ({ uuid, hex }) => [
    "https://a.webhook.office.com/",
    `webhookb2/${uuid()}@${uuid()}/IncomingWebhook/${hex(32)}/${uuid()}`,
  ],
  "Twilio key": alone(({ hex }) => `SK${hex(32)}`),
  "Twilio token": ({ hex }) => ["TWILIO_AUTH_TOKEN=", hex(32)],
  "SendGrid key": alone(({ dash }) => `SG.${dash(22)}.${dash(43)}`),
  "Mailgun key": alone(({ hex }) => `key-${hex(32)}`),
  "Mailgun signing key": alone(({ hex }) => `${hex(32)}-${hex(8)}-${hex(8)}`),
  "Mailchimp key": alone(({ hex }) => `${hex(32)}-us12`),
  "Brevo key": alone(({ hex, any }) => `xkeysib-${hex(64)}-${any(16)}`),
  "Resend key": alone(({ any }) => `re_${any(8)}_${any(24)}`),
  "Postmark token": ({ uuid }) => ["X-Postmark-Server-Token: ", uuid(), "\n"],
  "HubSpot token": alone(({ uuid }) => `pat-na1-${uuid()}`),
  "Intercom token": ({ small }) => ["INTERCOM_ACCESS_TOKEN=", small(60)],
  "Zendesk key": ({ any }) => ["zendesk_secret: ", any(40)],
  "Salesforce token": alone(({ any, dash }) => `00D${any(12)}!${dash(90).replaceAll("-", ".")}`),
  // Money
  "Stripe key": alone(({ any }) => `sk_live_${any(24)}`),
  "Stripe restricted key": alone(({ any }) => `rk_test_${any(99)}`),
  "Stripe webhook secret": alone(({ any }) => `whsec_${any(32)}`),
  "Square token": alone(({ dash }) => `sq0atp-${dash(22)}`),
  "Square secret": alone(({ dash }) => `sq0csp-${dash(43)}`),
  "PayPal token": alone(({ small, hex }) => `access_token$production$${small(16)}$${hex(32)}`),
  "PayPal secret": ({ dash }) => ["PAYPAL_CLIENT_SECRET=", `E${dash(79)}`, "\n"],
  "Plaid token": alone(({ uuid }) => `access-sandbox-${uuid()}`),
  "Plaid secret": ({ hex }) => ["PLAID_SECRET=", hex(30)],
  "Coinbase key": ({ small }) => ["COINBASE_API_SECRET=", small(64)],
  "Shopify token": alone(({ hex }) => `shpat_${hex(32)}`),
  "Shopify secret": alone(({ hex }) => `shpss_${hex(32)}`),
  "Razorpay key": alone(({ any }) => `rzp_live_${any(14)}`),
  "Flutterwave key": alone(({ hex }) => `FLWSECK_TEST-${hex(32)}-X`),
  "Binance key": ({ any }) => ["BINANCE_SECRET_KEY=", any(64)],
  "key of a wallet": ({ hex }) => ["PRIVATE_KEY=", `0x${hex(64)}`, "\n"],
  // What watches
  "Datadog key": ({ hex }) => ["DD_API_KEY=", hex(32)],
  "Datadog application key": ({ hex }) => ["datadog_app_key: ", hex(40)],
  "New Relic key": alone(({ capital }) => `NRAK-${capital(27)}`),
  "New Relic licence": alone(({ hex }) => `${hex(36)}NRAL`),
  "Sentry token": alone(({ hex }) => `sntryu_${hex(64)}`),
  "Sentry address": ({ hex, digits }) => [
    "https://",
    hex(32),
    `@o${digits(6)}.ingest.sentry.io/${digits(7)}`,
  ],
  "Grafana token": alone(({ any, hex }) => `glsa_${any(32)}_${hex(8)}`),
  "Grafana Cloud token": alone(({ base64 }) => `glc_${base64(120)}`),
  "Grafana key": alone(({ any }) => `eyJrIjoi${any(80)}`),
  "Dynatrace token": alone(({ capital }) => `dt0c01.${capital(24)}.${capital(64)}`),
  "PagerDuty key": ({ dash }) => ["PAGERDUTY_API_KEY=", dash(20), "\n"],
  "Sumo Logic key": ({ any }) => ["SUMO_ACCESS_KEY=", any(64)],
  "PostHog key": alone(({ any }) => `phx_${any(43)}`),
  "LaunchDarkly key": alone(({ uuid }) => `sdk-${uuid()}`),
  // Services
  "Okta key": ({ dash }) => ["OKTA_API_TOKEN=", `00${dash(40)}`, "\n"],
  "Auth0 secret": ({ dash }) => ["AUTH0_CLIENT_SECRET=", dash(64), "\n"],
  "Linear key": alone(({ any }) => `lin_api_${any(40)}`),
  "Notion token": alone(({ digits, any }) => `ntn_${digits(11)}${any(35)}`),
  "Notion token of old": alone(({ any }) => `secret_${any(43)}`),
  "Figma token": alone(({ dash }) => `figd_${dash(40)}`),
  "Asana token": alone(({ digits, hex }) => `1/${digits(16)}:${hex(32)}`),
  "Airtable token": alone(({ any, hex }) => `pat${any(14)}.${hex(64)}`),
  "Algolia key": ({ hex }) => ['algoliasearch("APPID", ADMIN_API_KEY = "', hex(32), '"'],
  "Mapbox token": alone(({ any, dash }) => `sk.eyJ${any(80)}.${dash(22)}`),
  "Contentful token": ({ dash }) => ["CONTENTFUL_ACCESS_TOKEN=", dash(43), "\n"],
  "Dropbox token": alone(({ dash }) => `sl.${dash(135)}`),
  "Facebook token": alone(({ any }) => `EAAC${any(120)}`),
  "Facebook secret": ({ hex }) => ["FACEBOOK_APP_SECRET=", hex(32)],
  "Twitter bearer": alone(({ any }) => `${"A".repeat(22)}${any(90)}`),
  "Twitter secret": ({ any }) => ["TWITTER_ACCESS_TOKEN_SECRET=", any(45)],
  "LinkedIn secret": ({ any }) => ["LINKEDIN_CLIENT_SECRET=", any(16)],
  "Twitch secret": ({ small }) => ["twitch_client_secret: ", small(30)],
  "Spotify secret": ({ hex }) => ["SPOTIFY_CLIENT_SECRET=", hex(32)],
  "Typeform token": alone(({ dash }) => `tfp_${dash(59)}`),
  "ClickUp token": alone(({ digits, capital }) => `pk_${digits(8)}_${capital(32)}`),
  "Trello token": alone(({ hex }) => `ATTA${hex(72)}`),
  "Adobe secret": alone(({ small }) => `p8e-${small(32)}`),
  "MaxMind key": alone(({ any }) => `${any(6)}_${any(29)}_mmk`),
  "Apify token": alone(({ any }) => `apify_api_${any(36)}`),
  "address of Alchemy": ({ dash }) => ["https://eth-mainnet.g.alchemy.com/v2/", dash(32)],
  // Keys
  ...Object.fromEntries(
    [
      "RSA PRIVATE KEY",
      "EC PRIVATE KEY",
      "PRIVATE KEY",
      "ENCRYPTED PRIVATE KEY",
      "OPENSSH PRIVATE KEY",
      "DSA PRIVATE KEY",
    ].map((name): [string, Example] => [name, (of) => ["a\n", pem(name, "\n", of), "\nb"]]),
  ),
  "PGP private key": (of) => ["", pem("PGP PRIVATE KEY BLOCK", "\n", of), "\n"],
  "private key, escaped twice": (of) => ['\\"', pem("PRIVATE KEY", "\\\\n", of), '\\\\n\\"'],
  "private key with numbers of lines": (of) => [
    "    1\t",
    pem("PRIVATE KEY", "\n", of).replaceAll(/\n/g, "\n   12\t"),
    "\n",
  ],
  "private key with arrows": (of) => [
    "  1→",
    pem("RSA PRIVATE KEY", "\n", of).replaceAll(/\n/g, "\n   12→"),
    "\n",
  ],
  "private key as grep shows it": (of) => [
    "k.pem:1:",
    pem("RSA PRIVATE KEY", "\n", of).replaceAll(/\n/g, "\nk.pem:12:"),
    "\n",
  ],
  "private key in a diff": (of) => ["+", pem("EC PRIVATE KEY", "\n", of).replaceAll(/\n/g, "\n+"), "\n"],
  "private key taken out in a diff": (of) => [
    "-",
    pem("EC PRIVATE KEY", "\n", of).replaceAll(/\n/g, "\n-"),
    "\n",
  ],
  "private key in a quotation": (of) => ["> ", pem("PRIVATE KEY", "\n", of).replaceAll(/\n/g, "\n> "), "\n"],
  "private key in code": (of) => [
    'k = "',
    pem("PRIVATE KEY", "\n", of).replaceAll(/\n/g, '\\n" +\n  "'),
    '"\n',
  ],
  "private key in base64 (kubeconfig)": (of) => [
    "    client-key-data: ",
    base64Of(pem("RSA PRIVATE KEY", "\n", of)),
    "\n",
  ],
  "private key of PuTTY": ({ base64 }) => ["Private-Lines: 2", `\n${base64(64)}\n${base64(40)}`, "\n"],
  "JSON web key": ({ dash }) => ['{"kty":"EC","d":"', dash(43), '"}'],
  "WireGuard key": ({ base64 }) => ["[Interface]\nPrivateKey = ", `${base64(43)}=`, "\n"],
  "WireGuard shared key": ({ base64 }) => ["PresharedKey = ", `${base64(43)}=`, "\n"],
  "Kubernetes secret": ({ any }) => [
    "kind: Secret\nmetadata:\n  name: x\ndata:\n",
    `  a: ${base64Of(any(12))}\n  b: ${base64Of(any(5))}\n`,
  ],
  "recovery phrase": ({ word }) => [
    "the mnemonic is: ",
    Array.from({ length: 12 }, () => word(5).toLowerCase()).join(" "),
    ".",
  ],
  "recovery phrase of a setting": ({ word }) => [
    'SEED_PHRASE="',
    Array.from({ length: 24 }, () => word(6).toLowerCase()).join(" "),
    '"',
  ],
  // Passwords where they stand
  "hash of a shadow file": ({ any }) => ["root:$6$", `${any(16)}$${any(86)}`, ":19000:0:99999:7:::"],
  "hash with rounds": ({ any }) => ["$5$", `rounds=5000$${any(16)}$${any(43)}`, ":"],
  "hash by yescrypt": ({ any }) => ["$y$", `j9T$${any(22)}$${any(43)}`, ":"],
  "hash by bcrypt": ({ any }) => ["$2b$", `12$${any(53)}`, " here"],
  "hash by Argon2": ({ base64 }) => [
    "$argon2id$",
    `v=19$m=65536,t=3,p=4$${base64(22)}$${base64(43)}`,
    " here",
  ],
  "password of the environment": ({ small }) => ["DB_PASSWORD=", `${small(7)}1a`, "\n"],
  "password of a shell": ({ any }) => ['export PGPASSWORD="', `${any(8)}1a`, '"'],
  "key in a table": ({ any }) => ["| API_KEY | ", any(32), " |\n"],
  "key in a table with padding": ({ any }) => [
    "| name |\n|---|\n| `client_secret`   | ",
    any(32),
    " | old |",
  ],
  "password in French": ({ any }) => ["mot de passe : ", `${any(8)}1a`, "\n"],
  "password in YAML": ({ small }) => ["db:\n  password: ", `${small(7)}1a`, "\n"],
  "password in JSON": ({ small }) => ['{"password": "', `${small(6)}1a`, '"}'],
  "password in TOML": ({ any }) => ['password = "', `${any(8)}1a`, '"\n'],
  "password in INI": ({ any }) => ["[db]\npwd=", `${any(8)}1a`, "\n"],
  "password in code": ({ any }) => ["const password = '", `${any(8)}1a`, "';"],
  "password with its type": ({ any }) => ['let apiToken: string = "', any(24), '";'],
  "password of Java": ({ any }) => ["spring.datasource.password=", `${any(8)}1a`, "\n"],
  "password of an option": ({ any }) => ["x --password ", `${any(8)}1a`, " -v"],
  "password of signs": ({ any }) => ["PASSWORD='", `${any(3)}$d,E5(${any(3)})9`, "'"],
  "password of a variable that ends so": ({ any }) => ["SMTP_PASS=", `${any(8)}1a`, "\n"],
  "password beside its user": ({ any }) => ['auth: { user: "a@b.c", pass: "', `${any(4)} ${any(4)}1`, '" }'],
  "password beside its user in JSON": ({ any }) => ['{"user":"ada","pass":"', `${any(8)}1a`, '"}'],
  "password of a block of YAML": ({ any }) => ["db:\n  password: |\n    ", `${any(8)}1a`, "\n"],
  "password of Oracle": ({ any }) => ['CREATE USER ada IDENTIFIED BY "', `${any(8)}1a`, '";'],
  "password of a database that should be encoded": ({ any }) => [
    "postgres://ada:",
    `${any(5)}/${any(4)}#@${any(3)}`,
    "@db.example.com:5432/x",
  ],
  "cookie in JSON": ({ any }) => ['{"set-cookie": ["', `sid=${any(24)}`, '; Path=/"]}'],
  "cookie in JSON within JSON": ({ any }) => ['{\\"cookie\\":\\"', `sid=${any(24)}`, '\\"}'],
  "cookie of curl": ({ any }) => ["curl -s -b '", `sid=${any(24)}`, "' https://x"],
  "key in bold type": ({ any }) => ["**API token:** ", any(32), "\n"],
  "password of sshpass": ({ any }) => ["sshpass -p ", `${any(8)}1a`, " ssh x"],
  "password of curl": ({ any }) => ["curl -s -u ", `ada:${any(8)}`, " https://x"],
  "password of mysql": ({ any }) => ["mysql -u root -p", `${any(8)}1a`, " db"],
  "password of .netrc": ({ small }) => ["machine x.com login ada password ", `${small(7)}1a`, "\n"],
  "value of a variable of a container": ({ any }) => ['{"name": "API_TOKEN", "value": "', any(32), '"}'],
  "token as an argument": ({ any }) => ['headers.set("X-Auth-Token", "', any(32), '")'],
  "token of a subscript": ({ any }) => ['os.environ["API_TOKEN"] = "', any(32), '"'],
  "token in JSON within JSON": ({ any }) => ['{\\"token\\":\\"', any(32), '\\"}'],
  "token in YAML without quotes": ({ any }) => ["auth:\n  token: ", any(32), "\n"],
};

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed + 1);

test("there are many kinds", () => {
  expect(Object.keys(KINDS).length).toBeGreaterThanOrEqual(150);
});

describe("a secret is masked whole, and nothing beside it:", () => {
  test.each(Object.entries(KINDS))("%s", (_kind, example) => {
    for (const seed of SEEDS) {
      const [before, secret, after = ""] = example(letters(seed));
      const masked = maskSecrets(before + secret + after);
      expect(masked, before + secret + after).toMatch(/\[masked [\w .-]+\]/i);
      expect(
        piecesOf(secret).filter((piece) => masked.includes(piece)),
        masked,
      ).toEqual([]);
      expect([masked.startsWith(before.slice(0, 4)), masked.endsWith(after.slice(-2))], masked).toEqual([
        true,
        true,
      ]);
    }
  });
});

/** Its characters in twelves, by sixes. */
function piecesOf(secret: string): string[] {
  const from = Array.from({ length: Math.max(1, Math.floor(secret.length / 6) - 1) }, (_, n) => n * 6);
  return from
    .map((at) => secret.slice(at, at + 12))
    .filter((piece) => !/[-\s\\]{4}|KEY|hooks|=dark/.test(piece));
}

/** What gives these away stands at their ends, or behind them. */
const KNOWN_BY_THEIR_ENDS = /by its mark|signing key|Mailchimp|licence|MaxMind|Sentry address/;

describe("fewer than twelve characters are left of a secret that is cut off:", () => {
  test.each(Object.entries(KINDS).filter(([kind]) => !KNOWN_BY_THEIR_ENDS.test(kind)))(
    "%s",
    (_kind, example) => {
      const [before, secret] = example(letters(7));
      for (let length = 42; length < secret.length; length += 5) {
        const left = secret.slice(length - 12, length);
        if (!/^[\w+/=.%~-]+$/.test(left) || /--|KEY/.test(left)) continue;
        const masked = maskCutSecrets(before + secret.slice(0, length));
        expect(masked.includes(left), masked).toBe(false);
      }
    },
  );
});

const SHA = "3f786850e387550fdab836ed7e6dc881de23001b";
const IMAGE = Buffer.from(Array.from({ length: 600 }, (_, n) => (n * n * 31 + n * 7) % 256)).toString(
  "base64",
);

describe("what is harmless stays:", () => {
  test.each([
    "interface Login { password: string; token: string | null; apiKey?: string }",
    "const password = getPassword();",
    "const token = await this.tokens.next(session.id2);",
    "password = os.environ['DB_PASSWORD']",
    "password: process.env.DB_PASSWORD2,",
    "apiKey: config.providers[0].apiKey,",
    "const { token, secret } = await loadCredentials(path1);",
    "if (password.length < 12) throw new Error('password: at least 12 characters')",
    "PASSWORD=$DB_PASSWORD_2024 TOKEN=${GITHUB_TOKEN_2} KEY=%API_KEY_3%",
    "password: ${{ secrets.DB_PASSWORD_1 }}",
    "password: <your-password-1>, api_key: YOUR_API_KEY_HERE_123",
    'password: "********", token: "xxxxxxxxxxxxxxxxxxxxxxxx"',
    'label: "Password", placeholder: "Enter your password again"',
    "The password is stored as a hash; a token expires after 15 minutes, and secrets: none.",
    "export type TokenProvider = () => Promise<AccessToken2>;",
    "maxTokens: 200000, totalTokens=123456789012, tokenCount: 4096",
    "tokenizer: cl100k_base, token_model: gpt-4o-2024-08-06",
    "secretName: my-app-tls-v2, secretRef: projects/123/secrets/db/versions/4",
    "token: claude-3-5-sonnet-20241022",
    "cacheKey: users:1234:profile:v2, sortKey: createdAt2024, key: ArrowDown",
    "publicKey: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1a2B3c4D5e6F7g8H9",
    `commit ${SHA}`,
    `${SHA.slice(0, 8)} fix(auth): token refresh`,
    `index 3f78685..e387550 100644 ${SHA}..${SHA}`,
    "sessionId: 7f3e1a2b-9c4d-4e5f-8a6b-1c2d3e4f5a6b",
    "id: 019a1b2c-3d4e-7f5a-8b6c-7d8e9f0a1b2c, parent: 0a1b2c3d",
    "/home/ada/.pi/agent/sessions/--home-ada-src--/2026-11-25T17-43-58_7f3e1a2b.jsonl",
    "C:\\Users\\ada\\secrets\\token2.txt",
    "password_file: /run/secrets/db_password_2",
    "tokenPath = ~/.config/app/token-v2.json",
    `![](data:image/png;base64,${IMAGE})`,
    '{"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="}',
    'js-tokens@4.0.0: resolved "https://r.example.com/js-tokens-4.0.0.tgz#19203fb59991df98e3a287050d4647cdeaf32499"',
    "js-tokens@npm:^4.0.0: checksum: 10c0/e248708d377aa058eacf2037b07ded847790e6de892bbad3dac0abba2e759cb9",
    "github.com/x/token v1.2.3 h1:5Ujx2DmUZsV3QYPYbyHG0RwCjrgTrWqmjhY1mRz4QdA=",
    "--hash=sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    "https://example.com:8080/path?token=abc&page=2 and git@github.com:ada/x.git",
    "http://localhost:3000/?email=ada@example.com, ssh://git@host:22/x, https://a@b.c/d",
    "postgres://localhost:5432/db and postgres://ada@db/x and redis://cache:6379",
    "postgres://${USER}:${PASSWORD}@db/x",
    "Authorization: Bearer $TOKEN, authorization: string, Authorization: Bearer <token>",
    "Bearer authentication is required; bearer tokens-are-described-below",
    "basic authentication, basic dependencies",
    "curl -u $USER:$PASS https://x; curl -u ada https://x",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1a2B3c4D5e6F7g8H9i0J1k2L3m4N\n-----END PUBLIC KEY-----",
    `-----BEGIN CERTIFICATE-----\n${IMAGE.slice(0, 64)}\n-----END CERTIFICATE-----`,
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5x3q8y2v7n9m1k4l6p0o8i7u6y5t4r3e2w1q0a9s8d ada@x",
    "grep -rn 'BEGIN RSA PRIVATE KEY' . finds keys: lines of base64 between two marks",
    "see ghp_short, sk-learn-pipelines-are-easy-to-read, AKIA, npm_config_cache, hf_hub_download, re_match_group",
    "toolu_01A2b3C4d5E6f7G8h9J0k1L2 call_a1B2c3D4e5F6|fc_0a1b2c3d4e5f60718293a4b5c6d7e8f90",
    "msg_01XFDUDYJgAACzvnptvVoYEL req_011CSHoEeqs5C35K2UUqR7Fy chatcmpl-9xYz8AbCdEfGhIjKlMnOpQrStU",
    "const keyboardShortcuts2 = keymap['Ctrl+K']; keyframes: fade-in-1",
    "passwordHash: 'bcrypt', hashPassword(password1)",
    "sed 's/(a)(b)/$1$2/g'; $1$path/to/the/sources/of/the/page/File2.ts",
    "The mnemonic is easy to keep in mind: every good boy deserves fudge, and all cows eat grass",
    "seed phrase: twelve words that nobody but you may know, and that you keep on paper",
    "| Token | Description |\n|---|---|\n| token | string | null |",
    "const key = token || readToken2(); type Key = token | null;",
    "password == password2 ? ok : 'passwords differ'",
    "expect(screen.getByLabelText('Password')).toHaveValue('')",
    '<input type="password" name="password" autocomplete="new-password">',
    "The secret: sessionManagerFactoryProviderOfTheApplication",
    "token: $(read_token_of 2024-05)",
    "expires: tokenExpiry: 2026-11-25T17:43:58.917Z, tokenUrl: https://auth0.example.com/oauth2/v1/token",
    "password = hashlib.sha256(salt1 + given2).hexdigest()",
    "天气很好 password 密码 пароль: 12",
    "Set-Cookie: theme=dark; Path=/",
    'curl -b cookies.txt --cookie jar.txt https://x; { "cookie": "theme=dark" }',
    "first_pass: shader1, compass: north12, bypass = value123, const renderPass = 'shadow12'",
    'user: "ada", pass: true; user: "ada", pass: "your-password-1"',
    "password: |\n  at least twelve characters",
    "**Token**: string, **API key:** see below",
    "postgres://localhost:5432/x?email=ada@example.com mongodb://localhost:27017,h2:27018/db",
    "docker login -u ada --password-stdin r.example.com; mysql -u root -p db; sshpass -p $PASS ssh x",
  ])("%s", (text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});

describe("a text of megabytes takes no longer than its length explains:", () => {
  const of = letters(3);
  const long = (piece: string) => piece.repeat(4_000_000 / piece.length);
  test.each<[string, string]>([
    ["names of secrets", long("token=")],
    ["names of secrets in quotes", long("'token':'")],
    ["names and random values", long(`token: "${of.any(5)}`)],
    ["words", long("the password is a secret token key\n")],
    ["schemes", long("a://b:c")],
    ["beginnings of keys", long("-----BEGIN PRIVATE KEY-----\n")],
    ["dots of web tokens", long("eyJ-")],
    ["options", long("--password ")],
    ["one line of base64", Buffer.from(of.any(100_000)).toString("base64").repeat(150)],
    ["curl", long("curl -u ")],
    ["cookies", long("Cookie: a=b; ")],
    ["data of Kubernetes", long("\ndata:\n a: b")],
  ])("%s", (_what, text) => {
    expect(() => withinReason(() => findSecrets(text))).not.toThrow();
  });

  test("and a value of 5 MB is masked whole", () => {
    const value = of.any(5_000_000);
    expect(maskSecrets(`token: ${value}\nend`)).toBe("token: [masked secret]\nend");
    expect(maskSecrets(`{"password": "${value}"}`)).toBe('{"password": "[masked secret]"}');
  });
});
