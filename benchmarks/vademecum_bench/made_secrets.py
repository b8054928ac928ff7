"""Invented secrets, generated at run time from the formats that issuers publish. No file contains one."""

import hashlib
from collections.abc import Callable, Mapping

_ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


#: Another variant gives other values of the same formats.
_variant = [""]


def use_variant(name: str) -> None:
    """Generate other values from now on; "" for those of the tests."""
    _variant[0] = name


def made(size: int, alphabet: str = _ALNUM, seed: str = "") -> str:
    """Return `size` characters that look random, deterministic for a variant."""
    out, number = "", 0
    while len(out) < size:
        digest = hashlib.sha256(f"{_variant[0]}{seed}:{size}:{number}".encode()).digest()
        out += "".join(alphabet[byte % len(alphabet)] for byte in digest)
        number += 1
    return out[:size]


def hexa(size: int) -> str:
    return made(size, "0123456789abcdef")


def upper(size: int) -> str:
    return made(size, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")


def lower(size: int) -> str:
    return made(size, "abcdefghijklmnopqrstuvwxyz0123456789")


def uuid() -> str:
    return "-".join(hexa(size) for size in (8, 4, 4, 4, 12))


def jwt() -> str:
    return f"eyJ{made(30)}.eyJ{made(60)}.{made(43)}"


def block(kind: str) -> str:
    return f"-----BEGIN {kind}-----\n{made(64)}\n{made(64, seed='b')}\n-----END {kind}-----"


#: Rule id -> (text around the secret with {} in its place, the secret).
SECRETS: Mapping[str, list[tuple[str, Callable[[], str]]]] = {
    "private-key": [
        ("key:\n{}\n", lambda: block("RSA PRIVATE" + " KEY")),
        ('"private_key": "{}"', lambda: block("PRIVATE" + " KEY").replace("\n", "\\n")),
        ("{}", lambda: block("PGP PRIVATE" + " KEY BLOCK")),
        ("{}", lambda: block("OPENSSH PRIVATE" + " KEY").rpartition("\n")[0]),
    ],
    "putty-key": [("{}", lambda: "PuTTY-User-Key-File-3: ssh-rsa\n" + made(40) + "\nPrivate-MAC: " + hexa(64))],
    "age-key": [("{}", lambda: "AGE-SECRET-" + "KEY-1" + made(58, "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"))],
    "aws-access-key": [("id {}.", lambda: "AKIA" + upper(16)), ("{}", lambda: "ASIA" + upper(16))],
    "aws-secret-key": [("aws_secret_access_key = {}", lambda: made(40)), ('"SecretAccessKey": "{}"', lambda: made(40))],
    "aws-bedrock-key": [("{}", lambda: "ABSK" + made(109) + "=")],
    "google-api-key": [("?key={}&x=1", lambda: "AIza" + made(35))],
    "google-oauth-token": [("{}", lambda: "ya29." + made(80))],
    "google-client-secret": [("{}", lambda: "GOCSPX-" + made(28))],
    "gcp-key-id": [('"private_key_id": "{}"', lambda: hexa(40))],
    "azure-storage-key": [("DefaultEndpointsProtocol=https;AccountKey={};X", lambda: made(86) + "==")],
    "azure-client-secret": [("secret {}", lambda: made(3) + "8" + "Q~" + made(34))],
    "azure-sas": [("https://x.blob.core.windows.net/a?sv=2020&sig={}", lambda: made(43) + "%3D")],
    "digitalocean-token": [("{}", lambda: "dop_v1_" + hexa(64))],
    "cloudflare-origin-key": [("{}", lambda: "v1.0-" + hexa(24) + "-" + hexa(146))],
    "cloudflare-key": [("CLOUDFLARE_API_TOKEN={}", lambda: made(40))],
    "heroku-key": [("{}", lambda: "HRKU-" + made(60))],
    "fly-token": [("FlyV1 {}", lambda: "fm2_" + made(80)), ("{}", lambda: "fo1_" + made(43))],
    "supabase-token": [("{}", lambda: "sbp_" + hexa(40))],
    "supabase-secret-key": [("{}", lambda: "sb_secret_" + made(31))],
    "planetscale-token": [("{}", lambda: "pscale_tkn_" + made(43))],
    "neon-key": [("{}", lambda: "napi_" + lower(64))],
    "netlify-token": [("{}", lambda: "nfp_" + made(36))],
    "render-key": [("{}", lambda: "rnd_" + made(28))],
    "vercel-token": [("VERCEL_TOKEN={}", lambda: made(24))],
    "alibaba-secret": [("aliyun_secret: {}", lambda: made(30))],
    "alibaba-access-key": [("{}", lambda: "LTAI" + made(20))],
    "scaleway-key": [("{}", lambda: "SCW" + upper(17))],
    "github-token": [
        ("it was _{}_ until May", lambda: "ghp_" + made(36)),
        ("export GITHUB_TOKEN={}", lambda: "ghp_" + made(36)),
        ("{}", lambda: "ghs_" + made(36)),
        ("https://{}@github.com/a/b", lambda: "github_pat_" + made(22) + "_" + made(59)),
    ],
    "gitlab-token": [("{}", lambda: "glpat-" + made(20)), ("{}", lambda: "gldt-" + made(20))],
    "gitlab-runner-token": [("{}", lambda: "GR1348941" + made(20))],
    "bitbucket-token": [("{}", lambda: "ATBB" + made(32))],
    "npm-token": [("{}", lambda: "npm_" + made(36))],
    "npmrc-token": [("//registry.example/:_authToken={}", lambda: made(30))],
    "pypi-token": [("{}", lambda: "pypi-" + "AgEIcHlwaS5vcmc" + made(120))],
    "rubygems-key": [("{}", lambda: "rubygems_" + hexa(48))],
    "crates-token": [("{}", lambda: "cio" + made(32))],
    "nuget-key": [("{}", lambda: "oy2" + lower(43))],
    "docker-token": [("{}", lambda: "dckr_pat_" + made(27))],
    "clojars-token": [("{}", lambda: "CLOJARS_" + lower(60))],
    "sourcegraph-token": [("{}", lambda: "sgp_" + hexa(40))],
    "postman-key": [("{}", lambda: "PMAK-" + hexa(24) + "-" + hexa(34))],
    "terraform-token": [("{}", lambda: made(14) + ".atlasv1." + made(67))],
    "vault-token": [("{}", lambda: "hvs." + made(95))],
    "doppler-token": [("{}", lambda: "dp.pt." + made(43))],
    "pulumi-token": [("{}", lambda: "pul-" + hexa(40))],
    "tailscale-key": [("{}", lambda: "tskey-auth-" + made(10) + "CNTRL-" + made(32))],
    "1password-token": [("{}", lambda: "ops_eyJ" + made(300))],
    "figma-token": [("{}", lambda: "figd_" + made(40))],
    "anthropic-key": [("ANTHROPIC_API_KEY={}", lambda: "sk-ant-" + "api03-" + made(93) + "AA")],
    "openai-key": [
        ("{}", lambda: "sk-proj-" + made(120)),
        ("key is {}", lambda: "sk-" + made(20) + "T3Blbk" + "FJ" + made(20, seed="z")),
    ],
    "openrouter-key": [("{}", lambda: "sk-or-v1-" + hexa(64))],
    "langfuse-key": [("{}", lambda: "sk-lf-" + uuid())],
    "langsmith-key": [("{}", lambda: "lsv2_pt_" + hexa(32) + "_" + hexa(10))],
    "huggingface-token": [("{}", lambda: "hf_" + made(34))],
    "replicate-token": [("{}", lambda: "r8_" + made(37))],
    "groq-key": [("{}", lambda: "gsk_" + made(52))],
    "perplexity-key": [("{}", lambda: "pplx-" + made(48))],
    "xai-key": [("{}", lambda: "xai-" + made(80))],
    "nvidia-key": [("{}", lambda: "nvapi-" + made(64))],
    "databricks-token": [("{}", lambda: "dapi" + hexa(32))],
    "pinecone-key": [("{}", lambda: "pcsk_" + made(6) + "_" + made(63))],
    "tavily-key": [("{}", lambda: "tvly-" + made(32))],
    "fireworks-key": [("{}", lambda: "fw_" + made(24))],
    "jina-key": [("{}", lambda: "jina_" + made(60))],
    "elevenlabs-key": [("{}", lambda: "sk_" + hexa(48))],
    "generic-sk-key": [("{}", lambda: "sk-" + hexa(32))],
    "slack-token": [
        ("{}", lambda: "xox" + "b-" + made(12, "0123456789") + "-" + made(24)),
        ("{}", lambda: "xox" + "p-" + made(40)),
    ],
    "slack-app-token": [("{}", lambda: "xapp-" + "1-" + upper(11) + "-" + made(13, "0123456789") + "-" + hexa(64))],
    "slack-webhook": [("https://hooks.slack.com/services/{}", lambda: "T" + upper(8) + "/B" + upper(8) + "/" + made(24))],
    "discord-token": [("{}", lambda: "M" + made(23) + "." + made(6) + "." + made(38))],
    "discord-webhook": [("https://discord.com/api/webhooks/112233445566778899/{}", lambda: made(68))],
    "telegram-token": [("{}", lambda: "8123456789" + ":AA" + made(33))],
    "teams-webhook": [
        ("https://a.webhook.office.com/webhookb2/{}",
         lambda: uuid() + "@" + uuid() + "/IncomingWebhook/" + hexa(32) + "/" + uuid())
    ],
    "twilio-key": [("{}", lambda: "SK" + hexa(32))],
    "sendgrid-key": [("{}", lambda: "SG." + made(22) + "." + made(43))],
    "mailgun-key": [("{}", lambda: "key-" + hexa(32))],
    "mailchimp-key": [("{}", lambda: hexa(32) + "-us12")],
    "brevo-key": [("{}", lambda: "xkeysib-" + hexa(64) + "-" + made(16))],
    "resend-key": [("{}", lambda: "re_" + made(8) + "_" + made(24))],
    "linear-key": [("{}", lambda: "lin_api_" + made(40))],
    "notion-token": [("{}", lambda: "ntn_" + made(46)), ("{}", lambda: "secret_" + made(43))],
    "atlassian-token": [("{}", lambda: "ATATT3" + made(180))],
    "airtable-token": [("{}", lambda: "pat" + made(14) + "." + hexa(64))],
    "dropbox-token": [("{}", lambda: "sl." + made(136))],
    "typeform-token": [("{}", lambda: "tfp_" + made(44))],
    "contentful-token": [("{}", lambda: "CFPAT-" + made(43))],
    "facebook-token": [("{}", lambda: "EAA" + made(160))],
    "twitter-bearer": [("{}", lambda: "A" * 21 + "b" + made(80))],
    "stripe-key": [("{}", lambda: "sk_" + "live_" + made(24)), ("{}", lambda: "rk_" + "test_" + made(24))],
    "stripe-webhook-secret": [("{}", lambda: "whsec_" + made(32))],
    "square-token": [("{}", lambda: "sq0atp-" + made(22))],
    "braintree-token": [("{}", lambda: "access_token" + "$production$" + lower(16) + "$" + hexa(32))],
    "shopify-token": [("{}", lambda: "shpat_" + hexa(32))],
    "plaid-token": [("{}", lambda: "access-sandbox-" + uuid())],
    "easypost-key": [("{}", lambda: "EZAK" + made(54))],
    "coinbase-key": [("{}", lambda: "organizations/" + uuid() + "/apiKeys/" + uuid())],
    "grafana-token": [("{}", lambda: "glsa_" + made(32) + "_" + hexa(8))],
    "grafana-cloud-token": [("{}", lambda: "glc_" + made(100))],
    "newrelic-key": [("{}", lambda: "NRAK-" + upper(27))],
    "sentry-token": [("{}", lambda: "sntryu_" + hexa(64))],
    "sentry-org-token": [("{}", lambda: "sntrys_" + made(120))],
    "dynatrace-token": [("{}", lambda: "dt0c01." + upper(24) + "." + upper(64))],
    "datadog-key": [("DD_API_KEY={}", lambda: hexa(32))],
    "wandb-key": [("WANDB_API_KEY={}", lambda: hexa(40))],
    "posthog-key": [("{}", lambda: "phx_" + made(43))],
    "launchdarkly-key": [("{}", lambda: "sdk-" + uuid())],
    "sonar-token": [("{}", lambda: "sqp_" + hexa(40))],
    "snyk-token": [("SNYK_TOKEN={}", uuid)],
    "circleci-token": [("{}", lambda: "CCIPAT_" + made(22) + "_" + hexa(40))],
    "buildkite-token": [("{}", lambda: "bkua_" + lower(40))],
    "travis-token": [("travis_token: {}", lambda: made(22))],
    "codecov-token": [("CODECOV_TOKEN={}", uuid)],
    "artifactory-key": [("{}", lambda: "AKCp" + made(69))],
    "artifactory-token": [("{}", lambda: "cmVmd" + made(59))],
    "harness-key": [("{}", lambda: "pat." + made(22) + "." + hexa(24) + "." + made(20))],
    "octopus-key": [("{}", lambda: "API-" + upper(26))],
    "infracost-key": [("{}", lambda: "ico-" + made(32))],
    "prefect-key": [("{}", lambda: "pnu_" + made(36))],
    "readme-key": [("{}", lambda: "rdme_" + lower(70))],
    "scalingo-token": [("{}", lambda: "tk-us-" + made(48))],
    "openshift-token": [("{}", lambda: "sha256~" + made(43))],
    "azure-devops-token": [("{}", lambda: made(76) + "AZDO" + made(4))],
    "gitea-token": [("GITEA_TOKEN={}", lambda: hexa(40))],
    "defined-networking-token": [("{}", lambda: "dnkey-" + lower(26) + "-" + lower(52))],
    "wireguard-key": [("PrivateKey = {}", lambda: made(43) + "=")],
    "cohere-key": [("COHERE_API_KEY={}", lambda: made(40))],
    "cerebras-key": [("{}", lambda: "csk-" + lower(48))],
    "together-key": [("{}", lambda: "tgp_v1_" + made(43))],
    "voyage-key": [("{}", lambda: "pa-" + made(43))],
    "firecrawl-key": [("{}", lambda: "fc-" + hexa(32))],
    "e2b-key": [("{}", lambda: "e2b_" + hexa(40))],
    "anyscale-key": [("{}", lambda: "esecret_" + lower(26))],
    "logfire-token": [("{}", lambda: "pylf_v1_us_" + made(43))],
    "yandex-key": [("{}", lambda: "AQVN" + made(36))],
    "databento-key": [("{}", lambda: "db-" + made(29))],
    "asana-token": [("{}", lambda: "1/" + made(16, "0123456789") + ":" + hexa(32))],
    "clickup-token": [("{}", lambda: "pk_" + made(8, "0123456789") + "_" + upper(32))],
    "trello-token": [("{}", lambda: "ATTA" + hexa(72))],
    "okta-token": [("OKTA_TOKEN={}", lambda: "00" + made(40))],
    "hubspot-token": [("{}", lambda: "pat-na1-" + uuid())],
    "zendesk-token": [("zendesk_token: {}", lambda: made(40))],
    "intercom-token": [("{}", lambda: "dG9rO" + made(55) + "=")],
    "frameio-token": [("{}", lambda: "fio-u-" + made(64))],
    "pagerduty-key": [("PAGERDUTY_KEY={}", lambda: made(20))],
    "opsgenie-key": [("opsgenie_key: {}", uuid)],
    "mattermost-token": [("MATTERMOST_TOKEN={}", lambda: lower(26))],
    "mailersend-key": [("{}", lambda: "mlsn." + hexa(64))],
    "onesignal-key": [("{}", lambda: "os_v2_app_" + lower(104))],
    "twitch-token": [("TWITCH_SECRET={}", lambda: lower(30))],
    "messagebird-key": [("MESSAGEBIRD_KEY={}", lambda: made(25))],
    "adafruit-key": [("{}", lambda: "aio_" + made(28))],
    "adobe-secret": [("{}", lambda: "p8e-" + made(32))],
    "algolia-key": [("ALGOLIA_ADMIN={}", lambda: hexa(32))],
    "duffel-token": [("{}", lambda: "duffel_test_" + made(43))],
    "flutterwave-key": [("{}", lambda: "FLWSECK_TEST-" + made(32) + "-X")],
    "gocardless-token": [("{}", lambda: "live_" + made(40))],
    "lob-key": [("{}", lambda: "test_" + hexa(35))],
    "shippo-token": [("{}", lambda: "shippo_test_" + hexa(40))],
    "newrelic-insert-key": [("{}", lambda: "NRII-" + made(32))],
    "rollbar-token": [("ROLLBAR_TOKEN={}", lambda: hexa(32))],
    "sumologic-key": [("SUMO_KEY={}", lambda: made(64))],
    "honeycomb-key": [("{}", lambda: "hcaik_" + lower(58))],
    "grafana-api-key": [("{}", lambda: "eyJrIjoi" + made(80) + "=")],
    "mapbox-token": [("{}", lambda: "sk.eyJ1" + made(80) + "." + made(22))],
    "firebase-key": [("{}", lambda: "AAAA" + made(7) + ":" + made(140))],
    "jwt": [
        ("cookie session={}; path=/", jwt), ("{}", jwt),
        ("{}", lambda: jwt().replace(".", ".\n")), ("{}\ndone", lambda: jwt()[:30] + "\n" + jwt()[30:]),
    ],
    "connection-string": [
        ("DATABASE_URL=postgres://larder:{}@db.internal:5432/larder", lambda: made(16)),
        ("redis://:{}@cache:6379", lambda: made(12)),
        ("postgres://larder:{}@db.internal/larder", lambda: "p@ss" + made(8)),
        ("mongodb+srv://ana:{}@cluster0.mongo.net/x", lambda: made(12)),
    ],
    "odbc-password": [("Server=db;Uid=sa;Pwd={};", lambda: "Tr0ub4" + "dor&3")],
    "authorization-header": [
        ("Authorization: Bearer {}", lambda: made(40)),
        ("-H 'authorization: basic {}'", lambda: made(28) + "=="),
        ("-H 'X-Auth: Bearer\n {}'", lambda: made(40)),
    ],
    "curl-password": [("curl -s -u ana:{} https://x.example/y", lambda: made(14))],
    "netrc-password": [("machine x.example login ana password {}", lambda: made(12))],
    "htpasswd-hash": [("ana:{}", lambda: "$2y$" + "05$" + made(53))],
    "docker-auth": [('{{"auths": {{"x": {{"auth": "{}"}}}}}}', lambda: made(40))],
    "xml-password": [("<server><password>{}</password></server>", lambda: made(12))],
    "spoken-password": [
        (text, lambda: "Blau" + "beere" + "77!")
        for text in (
            "the admin password is {}.", "Le mot de passe du routeur est {}.", "la password è {}", "密码是{}。", "パスワードは{}です",
            "Пароль — {}",
        )
    ],
    "vercel-key": [("{}", lambda: "vck_" + made(24))],
    "cloudflare-token": [("{}", lambda: "cfut_" + made(48))],
    "cursor-key": [("{}", lambda: "crsr_" + hexa(64))],
    "helicone-key": [("{}", lambda: "pk-helicone-" + lower(28))],
    "runpod-key": [("{}", lambda: "rpa_" + made(46))],
    "stackhawk-key": [("{}", lambda: "hawk." + made(20) + "." + made(20))],
    "wandb-token": [("{}", lambda: "wandb_v1_" + made(60))],
    "apify-token": [("{}", lambda: "apify_api_" + made(36))],
    "pganalyze-key": [("{}", lambda: "pgar_" + made(24))],
    "spectral-token": [("{}", lambda: "spu-" + hexa(32))],
    "rootly-key": [("{}", lambda: "rootly_" + hexa(64))],
    "trufflehog-key": [("{}", lambda: "thog-secret-" + hexa(40))],
    "maxmind-key": [("{}", lambda: made(6) + "_" + made(29) + "_mmk")],
    "settlemint-token": [("{}", lambda: "sm_pat_" + made(16))],
    "gitlab-feed-token": [("{}", lambda: "glft-" + made(20))],
    "bedrock-short-key": [("{}", lambda: "bedrock-api-key-" + made(120))],
    "okta-device-token": [("{}", lambda: "odt_" + made(36))],
    "ubidots-key": [("{}", lambda: "BBFF-" + made(30))],
    "voiceflow-key": [("{}", lambda: "VF.DM." + hexa(24) + "." + made(16))],
    "zoho-token": [("{}", lambda: "1000." + hexa(32) + "." + hexa(32))],
    "shuttle-token": [("{}", lambda: "shltm_" + made(40))],
    "teamwork-token": [("{}", lambda: "tkn.v1_" + made(68))],
    "pubnub-key": [("{}", lambda: "sec-c-" + uuid())],
    "tickettailor-key": [("{}", lambda: "sk_4821_305172_" + hexa(32))],
    "pixie-key": [("{}", lambda: "px-api-" + uuid())],
    "newrelic-query-key": [("{}", lambda: "NRIQ-" + made(32))],
    "1password-key": [("{}", lambda: "A3-" + upper(6) + "-" + upper(11) + "-" + "-".join(upper(5) for _ in range(3)))],
    "vault-service-token": [("{}", lambda: "s." + "7" + made(23))],
    "square-access-token": [("{}", lambda: "EAAA" + made(60))],
    "facebook-short-token": [("{}", lambda: "EAACEdEose0cBA" + made(60))],
    "instagram-token": [("{}", lambda: "IGQV" + made(120))],
    "google-refresh-token": [("{}", lambda: "1//0" + made(60))],
    "tencent-key": [("{}", lambda: "AKID" + made(32))],
    "volcengine-key": [("{}", lambda: "AKLT" + made(48))],
    "razorpay-key": [("{}", lambda: "rzp_live_" + made(14))],
    "paddle-key": [("{}", lambda: "pdl_live_apikey_" + lower(26) + "_" + made(22))],
    "polar-token": [("{}", lambda: "polar_oat_" + made(40))],
    "mercury-token": [("{}", lambda: "secret-token:mercury_production_" + made(30))],
    "infisical-token": [("{}", lambda: "st." + hexa(24) + "." + hexa(32) + "." + hexa(32))],
    "ionic-token": [("{}", lambda: "ion_" + made(42))],
    "intra42-secret": [("{}", lambda: "s-s4t2ud-" + hexa(64))],
    "salesforce-session": [("{}", lambda: "00D" + made(12) + "!" + made(96))],
    "webhook-url": [("https://hooks.zapier.com/hooks/catch/{}", lambda: "481920/" + lower(12))],
    "sql-password": [("CREATE USER app IDENTIFIED BY '{}'", lambda: made(12))],
    "command-password": [("deploy --db-password {}", lambda: made(14))],
    "client-password": [("mysql -u root -p{}", lambda: made(14))],
    "named-value": [('<add key="ApiToken" value="{}" />', lambda: made(24))],
    "opaque-secret": [
        ("private {}", lambda: "x7" + made(30)),
        ("| API_KEY | {} |", lambda: "x7" + made(30)),
        ("secret access key is\n{}\nhost: x", lambda: "x7" + made(30)),
        ("- name: API_KEY\n  value: {}", lambda: "x7" + made(30)),
        ('{{"apiKey": {{"value": "{}"}}}}', lambda: "x7" + made(30)),
    ],
    "prefixed-token": [("{}", lambda: "acme_live_" + "8" + made(28))],
    "google-auth-key": [("{}", lambda: "AQ.Ab" + made(48))],
    "neon-password": [("{}", lambda: "npg_" + made(12))],
    "jsr-token": [("{}", lambda: "jsrp_" + made(40))],
    "backblaze-key": [("{}", lambda: "K005" + made(27))],
    "ntfy-token": [("{}", lambda: "tk_" + lower(29))],
    "turnstile-secret": [("{}", lambda: "0x4AAAAAAA" + made(26))],
    "signed-url": [
        ("https://files.example.net/a.pdf?X-Goog-Signature={}", lambda: hexa(256)),
        ("https://d1.example.net/a?Expires=1&Signature={}&Key-Pair-Id=K1", lambda: made(60) + "~" + made(40)),
    ],
    "bitcoin-key": [("{}", lambda: "5" + made(50, _BASE58))],
    "wallet-key": [("{}", lambda: "xprv9s21ZrQH143K" + made(95, _BASE58))],
    "nostr-key": [("{}", lambda: "nsec1" + made(58, "qpzry9x8gf2tvdw0s3jn54khce6mua7l"))],
    "cookie": [
        ("Cookie: {}", lambda: "theme=dark; session=" + made(40)),
        ("< Set-Cookie: {}\n< Date", lambda: "sid=" + made(32) + "; Path=/; HttpOnly"),
    ],
    "wifi-code": [("WIFI:T:WPA;S:home;P:{};;", lambda: "Blau" + "beere77")],
    "one-time-secret": [("the 2FA seed is {}", lambda: upper(32)), ("TOTP: {}", lambda: upper(16))],
    "seed-phrase": [("seed phrase: {}", lambda: "able about above absent absorb abstract absurd abuse access acid acorn acoustic")],
    "table-cell": [
        ("| service | API key |\n|---|---|\n| acme | {} |\n", lambda: made(32)),
        ("host | user | Passwort\n--- | --- | ---\nnas | ana | `{}`\n", lambda: "Apfel" + "mus12"),
        ("user,password,role\nana,{},admin\n", lambda: "Apfel" + "mus12"),
        ('name;"api_key";"region"\n"prod";"{}";"eu"\n', lambda: made(32)),
        ("login\tpassword\nana\t{}\n", lambda: "Apfel" + "mus#12"),
    ],
    "password": [
        *((text, lambda: "Hq7#kd" + "92Lm") for text in (
            "mot de passe : {}", "Mdp: {}", "密码：{}", "пароль: {}", "パスワード: {}", "wachtwoord: {}", "pw: {}",
        )),
        ("password = '{}'", lambda: "f(x1)," + "[y2];z"),
        ("DB_PASSWORD={}", lambda: made(16)),
        ('"password": "{}"', lambda: "c0rrect-" + "horse-9"),
        ("passwort: '{}'", lambda: made(12)),
        ('{{"password":\n  "{}"}}', lambda: "Apfel" + "mus#12"),
        ("password: >-\n  {}\nuser: ana", lambda: "Apfel" + "mus#12"),
    ],
    "secret": [
        ("JWT_SECRET={}", lambda: "/" + made(42) + "="),
        ('curl -d "{{\\"api_key\\": \\"{}\\"}}"', lambda: made(40)),
        ('SECRET_KEY = "{}"', lambda: "django-insecure-" + made(20) + ")$(;" + made(26)),
        ("SECRET_KEY = '{}'", lambda: made(50)),
        ("api_key: {}", lambda: made(32)),
        ("auth_token => \"{}\"", lambda: made(24)),
        ("api_key: >-\n  {}\nhost: x", lambda: made(32)),
        ("export API_TOKEN=\\\n{}", lambda: made(24)),
        ("api_token: {}\ndone", lambda: made(24) + "\n" + made(20)),
    ],
}  # fmt: skip
