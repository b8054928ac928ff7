"""Formats of secrets of further services, one row each; the general ones stand in :mod:`vademecum.guard.secret_rules`."""

from vademecum.guard.rules import Rule
from vademecum.guard.shapes import END, START, named, token

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

BUILDS = (
    token("sonar-token", "sqp_", r"[0-9a-f]{40}", "squ_", "sqa_"),
    named("snyk-token", "snyk", ("snyk",), _UUID),
    token("circleci-token", "CCIPAT_", r"[A-Za-z0-9]{22}_[0-9a-f]{40}", "CCIPRJ_"),
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
    token("frameio-token", "fio-u-", r"[\w\-=]{64}"),
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
    token("shippo-token", "shippo_", r"(?:live|test)_[0-9a-f]{40}"),
    token("newrelic-insert-key", "NRII-", r"[A-Za-z0-9\-]{32}"),
    named("rollbar-token", "rollbar", ("rollbar",), r"[0-9a-f]{32}"),
    named("sumologic-key", "sumo", ("sumo",), r"[A-Za-z0-9]{64}", 3.5),
    token("honeycomb-key", "hcaik_", r"[a-z0-9]{58}", "hcbik_", "hccik_"),
    token("grafana-api-key", "eyJrIjoi", r"[A-Za-z0-9]{70,400}={0,2}"),
    token("mapbox-token", "sk.eyJ1", r"[\w\-]{40,240}\.[\w\-]{20,40}"),
    Rule("firebase-key", ("aaaa",), START + r"AAAA[\w\-]{7}:[\w\-]{140}" + END, reach=0, dense=True),
)

SERVICE_RULES: tuple[Rule, ...] = (*BUILDS, *MODELS, *OFFICE, *MONEY_AND_WATCH)
