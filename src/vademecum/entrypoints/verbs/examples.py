"""Two examples of each command, for the help and docs/commands.md. A test parses each.

A line is what is typed after `vade`.
"""

from collections.abc import Mapping

from vademecum.plugin import plugins

_TABLE = """
save: save "Always run make lint before a push"
save: save decision "Postgres for storage" --body "Its JSON columns are enough."
show: show "Postgres for storage"
show: show 8ZSWGM5N --evidence
list: list --kind decision --limit 20
list: list --project webapp --since 2026-03-01
edit: edit "Redis port" --body "Redis runs on 6390."
edit: edit 8ZSWGM5N --set "tags=redis, staging"
evolve: evolve "Redis port" --body "Redis runs on 6390." --reason "moved"
evolve: evolve 8ZSWGM5N --body @new.md
supersede: supersede "Old staging host" "Staging host"
supersede: supersede "Old staging host" STALE
settle: settle "Staging host"
settle: settle "Staging host" "both are right" --both
archive: archive "Old staging host"
archive: archive 8ZSWGM5N "no longer needed"
restore: restore "Old staging host"
restore: restore 8ZSWGM5N
move: move "Redis port" --kind lesson
move: move 8ZSWGM5N --title "Port of Redis"
tag: tag "Redis port" --add redis
tag: tag 8ZSWGM5N --add staging --remove draft
link: link "Redis port" related "Redis password place"
link: link 8ZSWGM5N derived_from https://redis.io/docs
links: links "Redis port"
links: links 8ZSWGM5N --hops 2
confirm: confirm "Redis port"
confirm: confirm 8ZSWGM5N
history: history "Redis port"
history: history 8ZSWGM5N --json
undo: undo
undo: undo 8ZSWGM5N
forget: forget "Redis password" --dry-run
forget: forget --subject "hunter2"
recall: recall what do we use for storage
recall: recall "which port has redis" --project webapp
search: search redis
search: search "how we deploy" --source session --limit 20
agent bundle: agent bundle "which port has redis"
agent bundle: agent bundle --stage pre-session --budget 800
briefing: briefing
briefing: briefing --project webapp --budget 1000
benefit: benefit
benefit: benefit --json
questions: questions
questions: questions --json
topics: topics
topics: topics "the port of redis"
why: why
why: why 01M8DVCBATME95FAMZKT285Y6W --scores
rule: rule "Never push to main" --when "run: git push*"
rule: rule 8ZSWGM5N --reset
log: log --limit 10
log: log --json
project show: project show
project show: project show webapp
project edit: project edit webapp --body @project.md
project edit: project edit --body "A shop for garden tools."
project rename: project rename webapp shop
project rename: project rename webapp shop --join
inbox: inbox
inbox: inbox --project webapp
review: review
review: review 8ZSWGM5N approve
review-all: review-all approve --confidence high
review-all: review-all reject --older-than-hours 720
sessions list: sessions list
sessions list: sessions list --project webapp --limit 10
sessions show: sessions show "Move the webhook"
sessions show: sessions show 5f2c9a10
sessions search: sessions search "connection refused"
sessions search: sessions search --file src/app.py
sessions export: sessions export 5f2c9a10
sessions export: sessions export "Move the webhook" --version 2
sessions restore: sessions restore 5f2c9a10
sessions restore: sessions restore 5f2c9a10 --to chat.jsonl
sessions undo: sessions undo 5f2c9a10
sessions undo: sessions undo "Move the webhook"
sessions exclude: sessions exclude
sessions exclude: sessions exclude 5f2c9a10
sessions parse: sessions parse chat.jsonl
sessions parse: sessions parse chat.jsonl --json
handoff: handoff
handoff: handoff 5f2c9a10
agent save-conversation: agent save-conversation claude-ai --messages @messages.json
agent save-conversation: agent save-conversation chatgpt --messages - --title "Holiday plans"
conversations: conversations
conversations: conversations --pending
agent mark: agent mark
agent mark: agent mark 5f2c9a10 --reason "we decided on the database"
agent observe: agent observe "The person wants short commit messages."
agent observe: agent observe "Tests are run before each push." --project webapp
sources: sources
sources: sources --only-dirty
reader queue: reader queue
reader queue: reader queue --json
reader show: reader show
reader show: reader show --json
reader use: reader use claude
reader use: reader use ollama:qwen3
reader off: reader off
reader off: reader off --json
reader exclude: reader exclude diary
reader exclude: reader exclude diary --json
reader include: reader include diary
reader include: reader include diary --json
jobs list: jobs list
jobs list: jobs list --json
jobs run: jobs run
jobs run: jobs run views
jobs undo: jobs undo distil
jobs undo: jobs undo distil --json
compact: compact
compact: compact --merge lesson
process: process
process: process chats --threshold 10
status: status
status: status --deep
capture: capture
capture: capture ~/.claude/projects
sync: sync
sync: sync --quick
rebuild: rebuild
rebuild: rebuild --json
guard scan: guard scan
guard scan: guard scan --purge
setup: setup
setup: setup ~/Notes --yes
init: init ~/Notes
init: init ~/Memory --wiki
watch: watch
watch: watch --every 30 --quiet
demo: demo
demo: demo --json
mcp: mcp
mcp: mcp --no-helper
settings list: settings
settings list: settings --json
settings explain: settings explain briefing_tokens
settings explain: settings explain consent --json
settings set: settings set briefing_tokens 1000
settings set: settings set llm_exclude diary garden
settings unset: settings unset briefing_tokens
settings unset: settings unset llm_exclude --json
install: install
install: install claude-code
uninstall: uninstall claude-code
uninstall: uninstall --all --dry-run
completion: completion bash
completion: completion fish
doctor: doctor
doctor: doctor --canary
serve: serve
serve: --config other.toml serve
stop: stop
stop: stop --json
pause: pause
pause: pause --session 5f2c9a10
resume: resume
resume: resume --session 5f2c9a10
off: off
off: off ~/diary
on: on
on: on ~/diary
"""


def _read() -> dict[str, tuple[str, ...]]:
    rows: dict[str, tuple[str, ...]] = {}
    for line in "\n".join((_TABLE, *(plugin.examples for plugin in plugins()))).split("\n"):
        if not line.strip():
            continue
        command, _, example = line.partition(": ")
        rows[command] = (*rows.get(command, ()), f"vade {example}")
    return rows


#: Words of a command -> its examples, each a whole line.
EXAMPLES: Mapping[str, tuple[str, ...]] = _read()
