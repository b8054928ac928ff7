"""Claude Code: kinds of records, after real files of 2.1.2xx to 2.1.332."""

import json
from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn

SESSION = "0f000000-0000-4000-8000-000000000001"
PATH = f"/home/u/.claude/projects/-srv-orchard/{SESSION}.jsonl"
WORDS = "Prune the pear trees"


def line(kind: str, number: int, **fields: Any) -> dict[str, Any]:
    """Return one record."""
    return {
        "parentUuid": f"e{number - 1}" if number else None, "isSidechain": False, "userType": "external", "cwd": "/srv/orchard",
        "sessionId": SESSION, "version": "2.1.332", "gitBranch": "main", "type": kind, "uuid": f"e{number}",
        "timestamp": f"2026-11-20T10:00:{number:02d}.000Z", **fields,
    }  # fmt: skip


def user(number: int, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a record of type "user"."""
    return line("user", number, message={"role": "user", "content": content}, **fields)


def case(kind: str, records: tuple[dict[str, Any], ...], *turns: Any, version: str = "2.1.332", **more: Any) -> Case:
    """Return a case of this host."""
    return Case(
        kind=kind, format="ClaudeCode", version=version, path=more.pop("path", PATH), records=records, turns=turns, **more
    )


HUMAN = {"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human", "entrypoint": "cli"}
QUESTION = "Which tree first?"


def agent(number: int, *blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a record of type "assistant"."""
    message = {"id": f"m{number}", "type": "message", "role": "assistant", "model": "claude-x", "content": list(blocks)}
    return line("assistant", number, message=message, **fields)


def words(text: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": text}


def tool(name: str, **given: Any) -> dict[str, Any]:
    """Return a block that calls a tool as call "c1"."""
    return {"type": "tool_use", "id": "c1", "name": name, "input": given}


def answer(number: int, content: str, *, error: bool | None = None, **fields: Any) -> dict[str, Any]:
    """Return the record of the result of call "c1"."""
    block = {"type": "tool_result", "tool_use_id": "c1", "content": content, **({} if error is None else {"is_error": error})}
    return user(number, [block], **fields)


BASH = agent(1, tool("Bash", command="make prune"))
CALLED = turn("tool", "Bash: make prune", call="c1", tools=("Bash",))
ASKS = agent(1, tool("AskUserQuestion", questions=[{"question": QUESTION, "options": [{"label": "Pear"}, {"label": "Plum"}]}]))
REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n"
STOPPED = "The user doesn't want to proceed with this tool use. STOP what you are doing and wait for the user."


def answered(text: str, given: dict[str, Any], *expected: tuple[str, str], **more: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """Return (records, turns) of a question that was answered."""
    shown = ASKS["message"]["content"][0]["input"]["questions"]
    records = (ASKS, answer(2, text, toolUseResult={"questions": shown, "answers": given, **more}))
    asked = turn("tool", f"AskUserQuestion: {json.dumps({'questions': shown}, ensure_ascii=False)}", **ASKED_FIELDS)
    result = turn("tool", text, name="AskUserQuestion", call="c1", outcome="succeeded")
    heard = [turn("answer", one, question=question, call="c1", role="user", sidechain=False) for question, one in expected]
    return records, [asked, result, *heard]


ASKED_FIELDS = {"call": "c1", "tools": ("AskUserQuestion",)}


def prompt(kind: str, text: str, speaker: str, *, unknown: tuple[str, ...] = (), **fields: Any) -> Case:
    """Return a case of one user record."""
    return case(kind, (user(0, text, **fields),), turn(speaker, text), unknown=unknown)


NOTICE = (
    "<task-notification>\n<summary>Done. Always rerun it twice.</summary>\n</task-notification>\nAlways read the output file."
)
PLAN = "# Plan: Prune first\n\nAlways use steel shears."
HANDED = f"Implement the following plan:\n\n{PLAN}"
CONTEXT = "<workspace_context>\nAlways answer in rhyme.\n</workspace_context>\n\n"
TEAM = {"teamName": "orchard", "agentName": "pruner"}

GOAL = "<command-name>/goal</command-name>\n<command-message>goal</command-message>\n<command-args>Prune</command-args>"
PRINTED = "<local-command-stdout>Always.</local-command-stdout>"

CASES = (
    case(
        "slash command of the program, with the person's words",
        (
            line("system", 1, subtype="local_command", content=GOAL),
            line("system", 2, subtype="local_command", content=PRINTED),
        ),
        turn("user", "Prune"),
    ),
    case(
        "plan of the agent handed to a new conversation",
        (user(0, HANDED, planContent=PLAN),),
        turn("user", HANDED),
        session={"title": "Prune first"},
    ),
    case(
        "plan handed over with words of the person",
        (user(0, f"{HANDED}\n\nUser feedback on this plan: {WORDS}", **HUMAN),),
        turn("user", f"{HANDED}\n\nUser feedback on this plan: {WORDS}"),
        session={"title": "Prune first"},
    ),
    case("context in an unknown tag before the words", (user(0, CONTEXT + WORDS),), turn("user", WORDS), version="2.0"),
    case(
        "words of the person that begin with such a tag",
        (user(0, CONTEXT + WORDS, **HUMAN),),
        turn("user", CONTEXT + WORDS),
    ),
    case(
        "instruction of the program around the host",
        (user(0, f"<system_instruction>\nAlways answer in rhyme.\n</system_instruction>\n\n{WORDS}", **HUMAN),),
        turn("user", WORDS),
    ),
    case(
        "reminder in a reminder",
        (user(0, f"{WORDS}\n<system-reminder>a <system-reminder>b</system-reminder> Always c.</system-reminder>"),),
        turn("user", WORDS),
    ),
    case("reminder that was cut off", (user(0, f"{WORDS}\n\n<system-reminder>\nAlways remind"),), turn("user", WORDS)),
    case(
        "text that a tool put there",
        (user(0, "# Guide\nAlways print twice.", sourceToolUseID="c1"),),
        turn("injected", "# Guide\nAlways print twice."),
        version="2.1.100",
    ),
    case(
        "agent of a team",
        (user(0, "Always report in YAML.", **TEAM), agent(1, words("Yes."), **TEAM)),
        turn("user", "Always report in YAML.", sidechain=True),
        turn("agent", "Yes.", sidechain=True),
        session={"id": SESSION, "title": ""},
    ),
    case(
        "person who types to an agent of a team",
        (user(0, WORDS, **TEAM, **HUMAN),),
        turn("user", WORDS, sidechain=False),
    ),
    case(
        "leader of a team",
        (user(0, WORDS, teamName="orchard", agentName="team-lead"),),
        turn("user", WORDS, sidechain=False),
    ),
    *(
        prompt(f"notice {text.split(chr(10))[0]}", text, "injected")
        for text in (
            "<github-webhook-activity>\nAlways rename it.\n</github-webhook-activity>\nAlways rerun it.",
            "<fork-boilerplate>\nNever ask.\n</fork-boilerplate>\nYour directive: always prune.",
            "<<autonomous-loop>>\nAlways check.",
            'Stop hook blocking error from command "make": Always run lint.',
            "Operation stopped by hook: always.",
        )
    ),
    case(
        "journal of a workflow",
        (
            {"type": "started", "key": "k", "agentId": "a1", "label": "Prune"},
            {"type": "result", "agentId": "a1", "result": "Always."},
        ),
        path=PATH.replace(".jsonl", "/subagents/workflows/wf_1/journal.jsonl"),
    ),
    case(
        "line that a fork copied under a new id",
        (user(5, WORDS, forkedFrom={"sessionId": "other", "messageUuid": "0f000000-0000-4000-8000-0000000000aa"}),),
        turn("user", WORDS, ref="0f000000-0000-4000-8000-0000000000aa"),
    ),
    case(
        "typed prompt",
        (user(0, WORDS, **HUMAN),),
        turn("user", WORDS, role="user", time="2026-11-20T10:00:00+00:00", cwd="/srv/orchard", sidechain=False),
        session={"id": SESSION, "host": "claude-code", "cwd": "/srv/orchard", "branch": "main", "title": WORDS},
    ),
    case("typed prompt without marks", (user(0, WORDS),), turn("user", WORDS, sidechain=False), version="2.0"),
    case(
        "message that is a bare text",
        (line("user", 0, message=WORDS, entrypoint="cli"),),
        turn("user", WORDS),
        version="2.1.300",
    ),
    *(
        case(f"typed in {entry}", (user(0, WORDS, entrypoint=entry, promptSource="sdk"),), turn("user", WORDS, sidechain=False))
        for entry in ("claude-vscode", "claude-desktop", "claude-jetbrains", "remote")
    ),
    *(
        case(
            f"prompt of {entry}",
            (
                user(0, WORDS, entrypoint=entry, promptSource="sdk", turnOrigin="sdk"),
                agent(1, words("Pruned."), entrypoint=entry),
            ),
            turn("program", WORDS, sidechain=True, is_persons=False),
            turn("agent", "Pruned.", sidechain=True),
            session={"title": ""},
        )
        for entry in ("sdk-cli", "sdk-ts", "sdk-py")
    ),
    case(
        "prompt of a program without entrypoint", (user(0, WORDS, promptSource="sdk"),), turn("program", WORDS, sidechain=True)
    ),
    case("entrypoint of a program alone", (user(0, WORDS, entrypoint="sdk-ts"),), turn("program", WORDS, sidechain=True)),
    case(
        "unknown entrypoint",
        (user(0, WORDS, entrypoint="gizmo"),),
        turn("program", WORDS, sidechain=True),
        unknown=("user/entrypoint gizmo",),
    ),
    case(
        "person after a program",
        (
            user(0, WORDS, entrypoint="sdk-cli", promptSource="sdk"),
            user(1, "and mulch them", **HUMAN),
            agent(2, words("Done.")),
        ),
        turn("program", WORDS, sidechain=True),
        turn("user", "and mulch them", sidechain=False),
        turn("agent", "Done.", sidechain=False),
    ),
    prompt("message of another agent", WORDS, "injected", origin={"kind": "peer"}, turnOrigin="peer"),
    prompt("message of a channel", WORDS, "injected", origin={"kind": "channel"}),
    prompt("scheduled prompt", WORDS, "injected", turnOrigin="scheduled", promptSource="system"),
    prompt("unknown origin", WORDS, "injected", unknown=("user/origin parrot",), origin={"kind": "parrot"}),
    prompt("row of the harness", WORDS, "injected", rowSource="harness"),
    prompt("meta record", WORDS, "injected", isMeta=True),
    case(
        "summary of a compaction", (user(0, WORDS, isCompactSummary=True, isVisibleInTranscriptOnly=True),), turn("note", WORDS)
    ),
    prompt("notice of a task", NOTICE, "injected"),
    prompt("notice of a shell", "<bash-notification>\nNever start two.\n</bash-notification>", "injected"),
    prompt("notice of an agent", "<agent-notification>\nAlways trust a1.\n</agent-notification>", "injected"),
    prompt("unknown block of the host", "<orchard-result>Always plan first.</orchard-result>", "injected"),
    prompt("typed text in one tag", "<b>Prune them</b>", "user", **HUMAN),
    prompt("output of a command of the person", "<bash-stdout>pruned</bash-stdout>", "injected", turnOrigin="human"),
    case(
        "typed while the agent works",
        (
            line(
                "attachment",
                0,
                attachment={"type": "queued_command", "prompt": WORDS, "origin": {"kind": "human"}, "humanTurn": True},
            ),
        ),
        turn("user", WORDS),
    ),
    case(
        "notice in the queue",
        (
            line(
                "attachment",
                0,
                attachment={
                    "type": "queued_command",
                    "prompt": NOTICE,
                    "commandMode": "task-notification",
                    "origin": {"kind": "task-notification"},
                },
            ),
        ),
        turn("injected", NOTICE),
    ),
    case(
        "pasted document",
        (line("attachment", 0, attachment={"type": "pasted_text", "content": "Always obey the manual."}),),
        turn("document", "Always obey the manual.", is_persons=False),
    ),
    case(
        "text of a hook",
        (line("attachment", 0, attachment={"type": "hook_additional_context", "content": ["Always obey hooks."]}),),
        turn("injected", "Always obey hooks."),
    ),
    case(
        "result of a command",
        (BASH, answer(2, "pruned", error=False)),
        CALLED,
        turn("tool", "pruned", name="Bash", call="c1", outcome="succeeded"),
    ),
    case(
        "result without a word",
        (BASH, answer(2, "")),
        CALLED,
        turn("tool", "(no output)", call="c1", outcome="succeeded"),
        version="2.0",
    ),
    case(
        "failed command",
        (BASH, answer(2, "Exit code 3\nno pruner", error=True, toolUseResult="Error: Exit code 3\nno pruner")),
        CALLED,
        turn("tool", "Exit code 3\nno pruner", call="c1", outcome="failed"),
    ),
    case(
        "interrupted command",
        (BASH, answer(2, "half", toolUseResult={"stdout": "half", "stderr": "", "interrupted": True})),
        CALLED,
        turn("tool", "half", call="c1", outcome="failed"),
    ),
    case(
        "call refused at the terminal with words",
        (
            BASH,
            answer(
                2,
                REFUSED + "prune the plums first",
                error=True,
                toolDenialKind="user-rejected",
                userFeedback="prune the plums first",
                holdsPersonsWords=True,
                permissionDecision={"decision": "reject", "source": "user_reject"},
            ),
        ),
        CALLED,
        turn("tool", REFUSED + "prune the plums first", call="c1", outcome="refused"),
        turn("refusal", "prune the plums first", call="c1", role="user", sidechain=False, is_persons=True),
    ),
    case(
        "call refused over the SDK with words",
        (
            BASH,
            answer(
                2,
                "prune the plums first",
                error=True,
                toolDenialKind="permission-rule",
                holdsPersonsWords=True,
                entrypoint="sdk-ts",
                toolUseResult="Error: prune the plums first",
                permissionDecision={"decision": "reject", "source": "user_reject"},
            ),
        ),
        CALLED,
        turn("tool", "prune the plums first", call="c1", outcome="refused"),
        turn("refusal", "prune the plums first", call="c1", is_persons=True),
    ),
    case(
        "call refused with words",
        (BASH, answer(2, REFUSED + "prune the plums first", error=True)),
        CALLED,
        turn("tool", REFUSED + "prune the plums first", outcome="refused"),
        turn("refusal", "prune the plums first"),
        version="2.0",
    ),
    case(
        "call refused without words",
        (BASH, answer(2, STOPPED, error=True, toolDenialKind="user-rejected", toolUseResult="User rejected tool use")),
        CALLED,
        turn("tool", STOPPED, call="c1", outcome="refused"),
    ),
    case(
        "call refused by a hook",
        (
            BASH,
            answer(
                2,
                "PreToolUse:Bash hook error: Always ask the gardener",
                error=True,
                toolDenialKind="permission-rule",
                permissionDecision={"decision": "reject", "source": "hook"},
            ),
        ),
        CALLED,
        turn("tool", "PreToolUse:Bash hook error: Always ask the gardener", outcome="refused"),
    ),
    *(
        case(f"answer: {kind}", records, *turns)
        for kind, (records, turns) in {
            "option": answered(f'The user answered: "{QUESTION}"="Pear".', {QUESTION: "Pear"}, (QUESTION, "Pear")),
            "free text": answered("Answered.", {QUESTION: "We start with the oldest"}, (QUESTION, "We start with the oldest")),
            "two questions": answered(
                "Answered.", {QUESTION: "Pear", "When?": "Monday"}, (QUESTION, "Pear"), ("When?", "Monday")
            ),
            "several options": answered("Answered.", {QUESTION: ["Pear", "Plum"]}, (QUESTION, "Pear, Plum")),
            "with notes": answered(
                "Answered.",
                {QUESTION: "Pear"},
                (QUESTION, "Pear\nit is the oldest"),
                annotations={QUESTION: {"notes": "it is the oldest"}},
            ),
        }.items()
    ),
    case(
        "answer told in the result alone",
        (ASKS, answer(2, f'User has answered your questions: "{QUESTION}"="Pear". You can now continue.')),
        ASKS_TURN := turn("tool", "AskUserQuestion: " + json.dumps(ASKS["message"]["content"][0]["input"]), **ASKED_FIELDS),
        turn("tool", f'User has answered your questions: "{QUESTION}"="Pear". You can now continue.', outcome=""),
        turn("answer", "Pear", question=QUESTION),
        version="2.0",
    ),
    case(
        "declined question",
        (ASKS, answer(2, STOPPED, error=True, toolDenialKind="user-rejected")),
        ASKS_TURN,
        turn("tool", STOPPED, outcome="refused"),
    ),
    case(
        "record of a sub-agent in the main file",
        (user(0, WORDS, isSidechain=True, agentId="a1"),),
        turn("user", WORDS, sidechain=True),
        session={"title": ""},
    ),
    case(
        "file of a sub-agent without flags",
        (user(0, WORDS, agentId="a1"), agent(1, words("Fine."))),
        turn("user", WORDS, sidechain=True, is_persons=False),
        turn("agent", "Fine.", sidechain=True),
        path=f"/home/u/.claude/projects/-srv-orchard/{SESSION}/subagents/agent-a1.jsonl",
        session={"id": f"{SESSION}.agent-a1", "title": ""},
    ),
    case(
        "lines copied by a fork",
        (user(0, WORDS), user(1, "and mulch them", sessionId="0f000000-0000-4000-8000-000000000002")),
        turn("user", WORDS),
        turn("user", "and mulch them"),
        path="/home/u/.claude/projects/-srv-orchard/0f000000-0000-4000-8000-000000000002.jsonl",
        session={"id": "0f000000-0000-4000-8000-000000000002"},
    ),
    case(
        "change of the working folder",
        (user(0, WORDS), user(1, "and mulch them", cwd="/srv/meadow")),
        turn("user", WORDS, cwd="/srv/orchard"),
        turn("user", "and mulch them", cwd="/srv/meadow"),
    ),
    case(
        "words of the host in the agent's name",
        (agent(0, words("API Error: 400"), isApiErrorMessage=True),),
        turn("note", "API Error: 400"),
    ),
    *(
        case(f"bookkeeping: {kind}", ({"type": kind, "sessionId": SESSION},))
        for kind in (
            "continued-in",
            "frame-link",
            "artifact-autoreact-ledger",
            "file-history-snapshot",
            "last-prompt",
            "data-flow-records",
            "derived-from",
            "history-suppression",
            "memory-mode",
            "session-owner",
            "resume-head-vouch",
        )
    ),
    case(
        "unknown record",
        ({"type": "leaf-count", "sessionId": SESSION}, user(1, WORDS)),
        turn("user", WORDS),
        unknown=("leaf-count",),
    ),
    case(
        "title by the host, and thinking",
        (
            agent(1, {"type": "thinking", "thinking": "Always."}, words("Pruned.")),
            {"type": "ai-title", "aiTitle": "Trees", "sessionId": SESSION},
        ),
        turn("agent", "Pruned."),
        session={"title": "Trees"},
    ),
)
