"""Formats of secrets as their issuers publish them. The more telling rule stands first and gives the placeholder its name.

A row is an id, the keywords without which the pattern is not tried, the pattern (its first group is the secret), and where the
form alone says little the least entropy in bits per character. Tests hold one made example for each row.
"""

import re

from vademecum.domain.guarding import MARKED_PRIVATE
from vademecum.guard.place_rules import PLACE_RULES
from vademecum.guard.rules import Rule
from vademecum.guard.service_rules import SERVICE_RULES
from vademecum.guard.shapes import END, START, named, token

_I = re.IGNORECASE
_S = re.DOTALL

BLOCKS = (
    Rule(
        "private-key",
        ("-----begin",),
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----BEGIN).)*?"
        r"(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)",
        flags=_S,
        reach=0,
    ),
    Rule("putty-key", ("putty-user-key-file",), r"PuTTY-User-Key-File-\d:.*?Private-MAC: [0-9a-f]+", flags=_S, reach=0),
    token("age-key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
)

CLOUDS = (
    Rule(
        "aws-access-key",
        ("akia", "asia", "abia", "acca"),
        START + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}" + END,
        reach=0,
        dense=True,
    ),
    named("aws-secret-key", r"aws.{0,20}(?:secret|key)|secret_?access_?key", ("aws", "secret"), r"[A-Za-z0-9/+]{40}", 4.0),
    token("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{100,140}={0,2}"),
    token("google-api-key", "AIza", r"[\w\-]{35}"),
    token("google-oauth-token", "ya29.", r"[\w\-]{40,400}"),
    token("google-client-secret", "GOCSPX-", r"[\w\-]{28}"),
    Rule("gcp-key-id", ("private_key_id",), r'"private_key_id"\s{0,4}:\s{0,4}"([0-9a-f]{40})"'),
    Rule(
        "azure-storage-key",
        ("accountkey", "sharedaccesskey"),
        r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{42,86}={1,2})",
        flags=_I,
        dense=True,
    ),
    Rule("azure-client-secret", ("q~",), r"(?<![\w~.\-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}(?![\w~.\-])", dense=True),
    Rule("azure-sas", ("sig=",), r"[?&]sig=([A-Za-z0-9%+/]{40,120}(?:%3D|=)?)", flags=_I, dense=True),
    token("digitalocean-token", "dop_v1_", r"[0-9a-f]{64}", "doo_v1_", "dor_v1_"),
    token("cloudflare-origin-key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{146}"),
    named("cloudflare-key", r"cloudflare|cf_api", ("cloudflare", "cf_api"), r"[A-Za-z0-9_\-]{37,40}", 3.5),
    token("heroku-key", "HRKU-", r"[\w\-]{36,70}"),
    Rule("fly-token", ("fm1", "fm2_", "fo1_"), START + r"(?:fm1[ar]?_|fm2_|fo1_)[\w+/=\-,]{40,2000}", reach=0, dense=True),
    token("supabase-token", "sbp_", r"[0-9a-f]{40}"),
    token("supabase-secret-key", "sb_secret_", r"[\w\-]{31,60}"),
    token("planetscale-token", "pscale_tkn_", r"[\w=.\-]{32,64}", "pscale_pw_", "pscale_oauth_"),
    token("neon-key", "napi_", r"[a-z0-9]{60,70}"),
    token("netlify-token", "nfp_", r"[A-Za-z0-9]{36,40}"),
    token("render-key", "rnd_", r"[A-Za-z0-9]{28,36}"),
    named("vercel-token", "vercel", ("vercel",), r"[A-Za-z0-9]{24}", 3.5),
    named("alibaba-secret", "alibaba|aliyun", ("alibaba", "aliyun"), r"[A-Za-z0-9]{30}", 3.5),
    token("alibaba-access-key", "LTAI", r"[A-Za-z0-9]{20,24}", entropy=3.0),
    token("scaleway-key", "SCW", r"[A-Z0-9]{17}", entropy=3.0),
)

CODE = (
    token("github-token", "ghp_", r"[A-Za-z0-9]{36,251}", "gho_", "ghu_", "ghs_", "ghr_"),
    token("github-token", "github_pat_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    token(
        "gitlab-token",
        "glpat-",
        r"[\w.\-]{20,300}",
        "gldt-",
        "glrt-",
        "glrtr-",
        "glptt-",
        "glcbt-",
        "glimt-",
        "glagent-",
        "gloas-",
        "glsoat-",
        "glffct-",
    ),
    token("gitlab-runner-token", "GR1348941", r"[\w\-]{20,50}"),
    Rule(
        "bitbucket-token",
        ("atctt3", "atbb"),
        START + r"(?:ATCTT3[A-Za-z0-9_\-=]{60,400}|ATBB[A-Za-z0-9]{24,40})" + END,
        reach=0,
        dense=True,
    ),
    token("npm-token", "npm_", r"[A-Za-z0-9]{36}"),
    Rule("npmrc-token", ("_authtoken", "_auth"), r"_auth(?:Token)?\s{0,2}=\s{0,2}([^\s${][^\s]{10,300})"),
    token("pypi-token", "pypi-AgEIcHlwaS5vcmc", r"[\w\-]{50,400}", "pypi-AgENdGVzdC5weXBpLm9yZw"),
    token("rubygems-key", "rubygems_", r"[0-9a-f]{48}"),
    token("crates-token", "cio", r"[A-Za-z0-9]{32}", entropy=3.5),
    token("nuget-key", "oy2", r"[a-z0-9]{43}", entropy=3.5),
    token("docker-token", "dckr_pat_", r"[\w\-]{27,32}", "dckr_oat_"),
    token("clojars-token", "CLOJARS_", r"[a-z0-9]{60}"),
    token("sourcegraph-token", "sgp_", r"(?:[0-9a-fA-F]{16}_)?(?:local_)?[0-9A-Za-z]{40,64}"),
    token("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    Rule("terraform-token", (".atlasv1.",), START + r"[A-Za-z0-9]{14}\.atlasv1\.[\w=\-]{60,70}" + END, dense=True),
    token("vault-token", "hvs.", r"[\w\-]{24,200}", "hvb.", "hvr."),
    token("doppler-token", "dp.", r"(?:pt|st|sa|ct|scim|audit)\.(?:[a-z0-9_\-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    token("pulumi-token", "pul-", r"[0-9a-f]{40}"),
    token("tailscale-key", "tskey-", r"[a-z]{2,12}-[A-Za-z0-9]{7,20}(?:CNTRL)?-[A-Za-z0-9]{9,64}"),
    token("1password-token", "ops_eyJ", r"[A-Za-z0-9_\-=+/]{200,4000}"),
    token("figma-token", "figd_", r"[\w\-]{40,48}"),
)

MODELS = (
    token("anthropic-key", "sk-ant-", r"[a-z]{2,8}\d{2}-[\w\-]{20,200}"),
    token("openai-key", "sk-proj-", r"[\w\-]{20,250}", "sk-svcacct-", "sk-admin-"),
    Rule("openai-key", ("t3blbkfj",), START + r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}" + END, dense=True),
    token("openrouter-key", "sk-or-v1-", r"[0-9a-f]{64}"),
    token("langfuse-key", "sk-lf-", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    token("langsmith-key", "lsv2_", r"(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    token("huggingface-token", "hf_", r"[A-Za-z0-9]{34,40}", "api_org_"),
    token("replicate-token", "r8_", r"[A-Za-z0-9]{37,48}"),
    token("groq-key", "gsk_", r"[A-Za-z0-9]{52}"),
    token("perplexity-key", "pplx-", r"[A-Za-z0-9]{48,56}"),
    token("xai-key", "xai-", r"[A-Za-z0-9]{70,84}"),
    token("nvidia-key", "nvapi-", r"[\w\-]{60,70}"),
    token("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    token("pinecone-key", "pcsk_", r"[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,64}"),
    token("tavily-key", "tvly-", r"[A-Za-z0-9\-]{32,60}"),
    token("fireworks-key", "fw_", r"[A-Za-z0-9]{22,24}", entropy=3.5),
    token("jina-key", "jina_", r"[A-Za-z0-9_\-]{56,64}"),
    token("elevenlabs-key", "sk_", r"[0-9a-f]{48}"),
    token("generic-sk-key", "sk-", r"(?=[\w\-]{0,64}\d)[A-Za-z0-9_\-]{24,250}", entropy=3.5),
)

MESSAGES = (
    token("slack-token", "xoxb-", r"[0-9A-Za-z\-]{20,250}", "xoxp-", "xoxa-", "xoxo-", "xoxs-", "xoxr-", "xoxe-", "xoxe.xoxp-"),
    token("slack-app-token", "xapp-", r"\d-[A-Z0-9]{8,14}-\d{8,14}-[0-9a-f]{40,70}"),
    Rule(
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,120})",
        reach=0,
        dense=True,
    ),
    Rule(
        "discord-token",
        ("m", "n", "o"),
        START + r"[MNO][A-Za-z0-9_\-]{23,25}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,38}" + END,
        4.0,
        reach=0,
        dense=True,
    ),
    Rule("discord-webhook", ("/api/webhooks/",), r"discord(?:app)?\.com/api/webhooks/\d{17,20}/([\w\-]{60,80})", dense=True),
    Rule("telegram-token", (":aa",), r"(?<![\w:])\d{8,10}:AA[\w\-]{33}" + END, dense=True),
    Rule(
        "teams-webhook",
        ("webhook.office.com",),
        r"webhook\.office\.com/webhookb2/([\w@\-]{40,120}/IncomingWebhook/[\w/\-]{40,120})",
        reach=0,
        dense=True,
    ),
    Rule("twilio-key", ("sk",), START + r"SK[0-9a-f]{32}" + END, reach=0, dense=True),
    Rule("sendgrid-key", ("sg.",), START + r"SG\.[\w\-]{20,24}\.[\w\-]{39,50}" + END, reach=0, dense=True),
    token("mailgun-key", "key-", r"[0-9a-f]{32}"),
    Rule("mailchimp-key", ("-us",), START + r"[0-9a-f]{32}-us\d{1,2}" + END, dense=True),
    token("brevo-key", "xkeysib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    token("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}", entropy=3.5),
    token("linear-key", "lin_api_", r"[A-Za-z0-9]{40}", "lin_oauth_"),
    token("notion-token", "ntn_", r"[A-Za-z0-9]{40,50}"),
    Rule("notion-token", ("secret_",), START + r"secret_[A-Za-z0-9]{43}" + END, reach=0, dense=True),
    token("atlassian-token", "ATATT3", r"[A-Za-z0-9_\-=]{60,300}"),
    Rule("airtable-token", ("pat",), START + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}" + END, reach=0, dense=True),
    token("dropbox-token", "sl.", r"[\w\-]{120,1400}"),
    token("typeform-token", "tfp_", r"[\w.\-]{40,64}"),
    token("contentful-token", "CFPAT-", r"[\w\-]{43,64}"),
    Rule("facebook-token", ("eaa",), START + r"EAA[A-Za-z0-9]{90,400}" + END, reach=0, dense=True),
    Rule("twitter-bearer", ("aaaaaaaaaaaaaaaaaaaaa",), START + r"A{21}[A-Za-z0-9%]{60,120}" + END, reach=0, dense=True),
)

MONEY_AND_WATCH = (
    token("stripe-key", "sk_live_", r"[A-Za-z0-9]{16,250}", "rk_live_", "sk_test_", "rk_test_"),
    token("stripe-webhook-secret", "whsec_", r"[A-Za-z0-9+/=]{24,80}"),
    token("square-token", "sq0atp-", r"[\w\-]{22,43}", "sq0csp-", "sq0ids-", "sq0idp-", "sq0ige-", "sq0cvn-"),
    Rule(
        "braintree-token",
        ("access_token$",),
        r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
        reach=0,
        dense=True,
    ),
    Rule("shopify-token", ("shp",), START + r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}" + END, reach=0, dense=True),
    token("plaid-token", "access-", r"(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    token("easypost-key", "EZAK", r"[A-Za-z0-9]{54}", "EZTK"),
    token("coinbase-key", "organizations/", r"[0-9a-f\-]{36}/apiKeys/[0-9a-f\-]{36}"),
    token("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-f]{8}"),
    token("grafana-cloud-token", "glc_", r"[A-Za-z0-9+/]{32,400}={0,2}"),
    token("newrelic-key", "NRAK-", r"[A-Z0-9]{27}"),
    token("sentry-token", "sntryu_", r"[0-9a-f]{64}"),
    token("sentry-org-token", "sntrys_", r"[A-Za-z0-9+/_=\-]{60,400}"),
    Rule("dynatrace-token", ("dt0",), START + r"dt0[a-zA-Z]\d{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}" + END, reach=0, dense=True),
    named("datadog-key", "datadog|dd_api|dd_app", ("datadog", "dd_ap"), r"[0-9a-f]{32}(?:[0-9a-f]{8})?"),
    named("wandb-key", "wandb", ("wandb",), r"[0-9a-f]{40}"),
    token("posthog-key", "phx_", r"[A-Za-z0-9_]{40,48}"),
    Rule(
        "launchdarkly-key",
        ("api-", "sdk-", "mob-"),
        START + r"(?:api|sdk|mob)-[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-[0-9a-z]{12}" + END,
        reach=0,
        dense=True,
    ),
)

ANYWHERE = (
    Rule(
        "jwt",
        ("eyj",),
        START + r"eyJ[A-Za-z0-9_\-]{10,2000}\.[A-Za-z0-9_\-]{10,4000}\.[A-Za-z0-9_\-]{10,1000}",
        reach=0,
        dense=True,
    ),
)

SECRET_RULES: tuple[Rule, ...] = (
    *BLOCKS,
    *CLOUDS,
    *CODE,
    *MODELS,
    *MESSAGES,
    *MONEY_AND_WATCH,
    *SERVICE_RULES,
    *ANYWHERE,
    *PLACE_RULES,
)

#: What the person marked as private, however long it is; without an end, all that follows. Not where somebody writes about the mark.
MARKED = Rule(MARKED_PRIVATE, ("<private>",), r"(?<![`\w])<private>(?!`).*?(?:</private>|\Z)", flags=_I | _S, reach=0)

#: Everything that is taken out of what is kept.
KEPT_OUT: tuple[Rule, ...] = (*SECRET_RULES, MARKED)
