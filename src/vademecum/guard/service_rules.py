"""Formats of secrets of further services, one row each; the general ones stand in :mod:`vademecum.guard.secret_rules`."""

import re

from vademecum.guard.rules import Rule
from vademecum.guard.shapes import END, START, named, token

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

BUILDS = (
    token("sonar-token", "sqp_", r"[0-9a-f]{40}", "squ_", "sqa_"),
    named("snyk-token", "snyk", ("snyk",), _UUID),
    token("circleci-token", "CCIPAT_", r"[A-Za-z0-9]{22}_[0-9a-z]{40}", "CCIPRJ_"),
    token("buildkite-token", "bkua_", r"[a-z0-9]{40}"),
    named("travis-token", "travis", ("travis",), r"[A-Za-z0-9\-_]{22}", 3.5),
    named("codecov-token", "codecov", ("codecov",), rf"(?:{_UUID}|[0-9a-f]{{32}})"),
    token("artifactory-key", "AKCp", r"[A-Za-z0-9]{69}"),
    token("artifactory-token", "cmVmd", r"[A-Za-z0-9]{59}"),
    token("harness-key", "pat.", r"[\w\-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}", "sat."),
    token("octopus-key", "API-", r"[A-Z0-9]{26}", entropy=3.0),
    token("infracost-key", "ico-", r"[A-Za-z0-9]{32}"),
    token("prefect-key", "pnu_", r"[A-Za-z0-9]{36}"),
    token("readme-key", "rdme_", r"[a-z0-9]{70}"),
    token("scalingo-token", "tk-us-", r"[\w\-]{48}"),
    token("openshift-token", "sha256~", r"[\w\-]{43}"),
    Rule("azure-devops-token", ("azdo",), START + r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}" + END, reach=80, dense=True),
    named("gitea-token", "gitea|forgejo", ("gitea", "forgejo"), r"[0-9a-f]{40}"),
    token("defined-networking-token", "dnkey-", r"[a-z0-9=_\-]{26}-[a-z0-9=_\-]{52}"),
    named("wireguard-key", r"\bprivatekey", ("privatekey",), r"[A-Za-z0-9+/]{43}=", 4.0),
)

MODELS = (
    named("cohere-key", "cohere|co_api", ("cohere", "co_api"), r"[A-Za-z0-9]{40}", 3.5),
    token("cerebras-key", "csk-", r"[a-z0-9]{48}"),
    token("together-key", "tgp_v1_", r"[\w\-]{43}"),
    token("voyage-key", "pa-", r"[\w\-]{43}", entropy=4.0),
    token("firecrawl-key", "fc-", r"[0-9a-f]{32}"),
    token("e2b-key", "e2b_", r"[0-9a-f]{40}"),
    token("anyscale-key", "esecret_", r"[a-z0-9]{26,60}"),
    token("logfire-token", "pylf_v1_", r"(?:us|eu)_[A-Za-z0-9]{40,60}"),
    token("yandex-key", "AQVN", r"[\w\-]{35,38}"),
    token("databento-key", "db-", r"[A-Za-z0-9]{29}", entropy=3.5),
)

OFFICE = (
    Rule(
        "asana-token", tuple(f"{digit}/" for digit in range(10)), r"(?<![\w/])\d/\d{16}:[0-9a-f]{32}" + END, reach=0, dense=True
    ),
    token("clickup-token", "pk_", r"\d{6,9}_[A-Z0-9]{32}"),
    token("trello-token", "ATTA", r"[0-9a-f]{72}"),
    named("okta-token", "okta|ssws", ("okta", "ssws"), r"00[\w\-]{40}", 3.5),
    token("hubspot-token", "pat-na1-", _UUID, "pat-eu1-", "pat-na2-"),
    named("zendesk-token", "zendesk", ("zendesk",), r"[A-Za-z0-9]{40}", 3.5),
    token("intercom-token", "dG9rO", r"[A-Za-z0-9+/]{50,80}={0,2}"),
    token("frameio-token", "fio-u-", r"[\w\-=]{60,68}"),
    named("pagerduty-key", r"pagerduty|pd_", ("pagerduty", "pd_"), r"[A-Za-z0-9+_\-]{20}", 3.3),
    named("opsgenie-key", "opsgenie", ("opsgenie",), _UUID),
    named("mattermost-token", "mattermost", ("mattermost",), r"[a-z0-9]{26}", 3.3),
    token("mailersend-key", "mlsn.", r"[0-9a-f]{64}"),
    token("onesignal-key", "os_v2_app_", r"[a-z0-9]{100,110}"),
    named("twitch-token", "twitch", ("twitch",), r"[a-z0-9]{30}", 3.3),
    named("messagebird-key", "messagebird", ("messagebird",), r"[A-Za-z0-9]{25}", 3.5),
)

MONEY_AND_WATCH = (
    token("adafruit-key", "aio_", r"[A-Za-z0-9]{28}"),
    token("adobe-secret", "p8e-", r"[A-Za-z0-9\-_]{32}"),
    named("algolia-key", "algolia", ("algolia",), r"[0-9a-f]{32}"),
    token("duffel-token", "duffel_", r"(?:test|live)_[\w\-=]{43}"),
    token("flutterwave-key", "FLWSECK", r"(?:_TEST)?-[0-9a-zA-Z]{32}-X"),
    token("gocardless-token", "live_", r"[\w\-=]{40}", entropy=4.0),
    token("lob-key", "live_", r"[0-9a-f]{35}", "test_"),
    token("shippo-token", "shippo_", r"(?:live|test)_[0-9a-fA-F]{40}"),
    token("newrelic-insert-key", "NRII-", r"[A-Za-z0-9\-]{32}"),
    named("rollbar-token", "rollbar", ("rollbar",), r"[0-9a-f]{32}"),
    named("sumologic-key", "sumo", ("sumo",), r"[A-Za-z0-9]{64}", 3.5),
    token("honeycomb-key", "hcaik_", r"[a-z0-9]{58}", "hcbik_", "hccik_"),
    token("grafana-api-key", "eyJrIjoi", r"[A-Za-z0-9]{70,400}={0,2}"),
    token("mapbox-token", "sk.eyJ1", r"[\w\-]{20,240}\.[\w\-]{20,40}", "tk.eyJ1"),
    Rule("firebase-key", ("aaaa",), START + r"AAAA[\w\-]{7}:[\w\-]{140}" + END, reach=0, dense=True),
)

CURRENT = (
    token("vercel-key", "vck_", r"[A-Za-z0-9]{20,80}", "vcp_", "vci_", "vca_", "vcr_"),
    token("cloudflare-token", "cfut_", r"[A-Za-z0-9_\-]{40,80}", "cfat_", "cfk_"),
    token("cursor-key", "crsr_", r"[0-9a-f]{64}"),
    token("helicone-key", "pk-helicone-", r"[a-z0-9\-]{20,60}"),
    token("runpod-key", "rpa_", r"[A-Za-z0-9]{40,60}"),
    token("stackhawk-key", "hawk.", r"[\w\-]{20}\.[\w\-]{20}"),
    token("wandb-token", "wandb_v1_", r"[\w\-]{40,120}"),
    token("apify-token", "apify_api_", r"[\w\-]{36,40}", "apify_proxy_"),
    token("pganalyze-key", "pgar_", r"[A-Za-z0-9]{16,60}", "pgaw_"),
    token("spectral-token", "spu-", r"[0-9a-f]{32}"),
    token("rootly-key", "rootly_", r"[0-9a-f]{64}"),
    token("trufflehog-key", "thog-secret-", r"[0-9a-f]{16,64}", "thog-key-"),
    Rule("maxmind-key", ("_mmk",), START + r"[A-Za-z0-9_]{6}_[A-Za-z0-9_]{29}_mmk" + END, dense=True),
    token("settlemint-token", "sm_pat_", r"[A-Za-z0-9]{16}", "sm_aat_", "sm_sat_"),
    token("gitlab-feed-token", "glft-", r"[\w\-]{20,100}", "glwt-"),
    token("bedrock-short-key", "bedrock-api-key-", r"[A-Za-z0-9+/=]{20,4000}"),
    token("okta-device-token", "odt_", r"[A-Za-z0-9]{32,40}"),
    token("ubidots-key", "BBFF-", r"[A-Za-z0-9]{28,40}"),
    token("voiceflow-key", "VF.", r"(?:DM|WS)\.[0-9a-fA-F]{24}\.[A-Za-z0-9]{16}"),
    token("zoho-token", "1000.", r"[0-9a-f]{31,32}\.[0-9a-f]{30,32}"),
    token("shuttle-token", "shltm_", r"[A-Za-z0-9]{30,60}"),
    token("teamwork-token", "tkn.v1_", r"[A-Za-z0-9+/]{60,80}={0,2}"),
    token("pubnub-key", "sub-c-", _UUID, "pub-c-", "sec-c-"),
    token("tickettailor-key", "sk_", r"\d{4,5}_\d{6}_[0-9a-f]{32}"),
    token("pixie-key", "px-api-", _UUID, "px-dep-"),
    token("newrelic-query-key", "NRIQ-", r"[\w\-]{32,36}", "NRAL-", "NRJS-"),
    token("1password-key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    token("vault-service-token", "s.", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{24}", entropy=3.8),
    Rule("square-access-token", ("eaaa",), START + r"EAAA[\w\-+=]{56,64}(?![\w\-])", reach=0, dense=True),
    Rule("facebook-short-token", ("eaacedeose0cba",), START + r"EAACEdEose0cBA[A-Za-z0-9]{20,400}" + END, reach=0, dense=True),
    token("instagram-token", "IGQV", r"[\w\-]{80,400}", "IGAA"),
    token("google-refresh-token", "1//0", r"[\w\-]{40,240}"),
    token("tencent-key", "AKID", r"[A-Za-z0-9]{32,40}", entropy=3.5),
    token("volcengine-key", "AKLT", r"[A-Za-z0-9+/=]{40,60}", entropy=3.5),
    token("razorpay-key", "rzp_live_", r"[A-Za-z0-9]{14}", "rzp_test_"),
    token("paddle-key", "pdl_", r"(?:live|sdbx|test)_apikey_[a-z0-9]{20,32}_[A-Za-z0-9_]{16,40}"),
    token("polar-token", "polar_oat_", r"[A-Za-z0-9]{30,60}", "polar_pat_"),
    token("mercury-token", "secret-token:", r"[\w.\-]{24,200}"),
    token("infisical-token", "st.", r"[0-9a-f\-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    token("ionic-token", "ion_", r"[A-Za-z0-9]{42}"),
    token("intra42-secret", "s-s4t2ud-", r"[0-9a-f]{64}", "s-s4t2af-"),
    Rule(
        "salesforce-session",
        ("00d",),
        START + r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,140}" + END,
        reach=0,
        dense=True,
    ),
    Rule(
        "webhook-url",
        ("/webhook/", "/hooks/catch", "/triggers/", ".make.com/"),
        r"(?:outlook\.office(?:365)?\.com/webhook|hooks\.zapier\.com/hooks/catch|\.tines\.(?:com|io)/webhook|hook\.[\w.]{2,20}\.make\.com"
        r"|api\.telegram\.org/bot|/triggers/manual/paths/invoke\?\S{0,120}?sig=)/?([\w@/.\-]{16,200})",
        flags=re.IGNORECASE,
        reach=200,
        dense=True,
    ),
)

SERVICE_RULES: tuple[Rule, ...] = (*BUILDS, *MODELS, *OFFICE, *MONEY_AND_WATCH, *CURRENT)
