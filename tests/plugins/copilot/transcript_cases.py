"""GitHub Copilot: events of the command line (1.0.102) and of VS Code's Chat (0.51)."""

import json
from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn

ID = "0f000000-0000-4000-8000-0000000000c1"
CLI = f"/home/u/.copilot/session-state/{ID}/events.jsonl"
CHAT = f"/home/u/.config/Code/User/workspaceStorage/ab12/GitHub.copilot-chat/transcripts/{ID}.jsonl"


def event(number: int, kind: str, agent: str = "", **data: Any) -> dict[str, Any]:
    """Return one line."""
    sub = {"agentId": agent} if agent else {}
    return {
        "type": kind,
        "data": data,
        "id": f"e{number}",
        "timestamp": f"2026-11-20T10:00:{number:02d}.000Z",
        "parentId": None,
        **sub,
    }


HEAD = event(0, "session.start", sessionId=ID, context={"cwd": "/srv/orchard", "branch": "main"})
CHAT_HEAD = event(0, "session.start", sessionId=ID, version=1, producer="copilot-agent", copilotVersion="0.51.0")


def case(kind: str, events: tuple[dict[str, Any], ...], *turns: Any, version: str = "1.0.102", **more: Any) -> Case:
    """Return a case of this host."""
    path, head = (CLI, HEAD) if version == "1.0.102" else (CHAT, CHAT_HEAD)
    return Case(kind=kind, format="Copilot", version=version, path=path, records=(head, *events), turns=turns, **more)


def asked(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return event(number, "tool.execution_start", toolCallId="c1", toolName=tool, arguments=arguments)


def done(number: int, content: str, success: bool = True, **more: Any) -> dict[str, Any]:
    return event(number, "tool.execution_complete", toolCallId="c1", success=success, result={"content": content}, **more)


CHOICES = [{"header": "Tree", "question": "Which tree?"}, {"header": "When", "question": "When?"}]
CHOSEN = json.dumps({"answers": {"Tree": {"selected": ["Pear"], "freeText": "the old one", "skipped": False},
                                 "When": {"selected": [], "freeText": None, "skipped": True}}})  # fmt: skip
DENIED = {"code": "denied", "message": "The user rejected this tool call. User feedback: not that one"}
CASES = (
    case("plan refused with words", (event(1, "exit_plan_mode.completed", requestId="r1", approved=False, feedback="water first"),),
         turn("refusal", "water first")),
    Case(kind="session that continues another one by itself", format="Copilot", version="1.0.102", path=CLI,
         records=(event(0, "session.start", sessionId=ID, detachedFromSpawningParentSessionId="p1"),
                  event(1, "user.message", content="Always YAML."), event(2, "session.schedule_created", id=1, prompt="Always.")),
         turns=(turn("user", "Always YAML.", sidechain=True),)),
    case("context in an unknown tag", (event(1, "user.message", content='<skill-context name="a">\nAlways.\n</skill-context>\nPrune'),),
         turn("user", "Prune"), session={"title": "Prune"}),
    case("typed prompt", (event(1, "user.message", content="Prune", transformedContent="<current_datetime>x</current_datetime>Prune"),),
         turn("user", "Prune", time="2026-11-20T10:00:01+00:00", cwd="/srv/orchard", sidechain=False),
         session={"id": ID, "host": "copilot", "cwd": "/srv/orchard", "branch": "main", "title": "Prune"}),
    case("typed prompt", (event(1, "user.message", content="Prune", attachments=[]), event(2, "assistant.message", content="Pruned.")),
         turn("user", "Prune"), turn("agent", "Pruned."), version="chat 0.51", session={"id": ID, "host": "copilot"}),
    case("prompt of a skill", (event(1, "user.message", content="Always.", source="skill-pdf"),), turn("injected", "Always.")),
    case("prompt that the host goes on with", (event(1, "user.message", content="Go on.", isAutopilotContinuation=True),),
         turn("injected", "Go on.")),
    case("orders to a sub-agent", (event(1, "user.message", "a1", content="Always YAML.", source="agent-x"),
                                   event(2, "assistant.message", content="Yes.", parentToolCallId="c9")),
         turn("injected", "Always YAML.", sidechain=True), turn("agent", "Yes.", sidechain=True)),
    case("command that failed", (asked(1, "bash", command="ls"), done(2, "no", shellExecution={"exitCode": 3})),
         turn("tool", "bash: ls", call="c1"), turn("tool", "no", name="bash", call="c1", outcome="failed")),
    case("call that worked", (asked(1, "view", path="/a"), done(2, "Always.")), turn("tool", "view: /a"),
         turn("tool", "Always.", outcome="succeeded")),
    case("call refused with words", (asked(1, "bash", command="ls"),
                                     event(2, "permission.completed", toolCallId="c1", result={"kind": "denied-interactively-by-user",
                                                                                               "feedback": "not that one"}),
                                     event(3, "tool.execution_complete", toolCallId="c1", success=False, error=DENIED)),
         turn("tool", "bash: ls"), turn("refusal", "not that one", call="c1", role="user", sidechain=False),
         turn("tool", DENIED["message"], outcome="refused")),
    case("call refused by the host", (asked(1, "bash", command="ls"), event(
        2, "permission.completed", toolCallId="c1", decisionSource="unattended_fallback", result={"feedback": "Always."})),
         turn("tool", "bash: ls")),
    case("error of a server", (asked(1, "srv-say"), event(2, "tool.execution_complete", toolCallId="c1", success=False, error={
        "code": "failure", "message": DENIED["message"]})), turn("tool", "srv-say"), turn("tool", DENIED["message"], outcome="failed")),
    case("question answered", (asked(1, "ask_user", message="Which tree?"), done(2, "User responded: tree=Pear, why=it is old")),
         turn("tool", 'ask_user: {"message": "Which tree?"}'),
         turn("tool", "User responded: tree=Pear, why=it is old", outcome="succeeded"),
         turn("answer", "tree=Pear, why=it is old", question="Which tree?", call="c1", role="user")),
    case("question answered", (asked(1, "vscode_askQuestions", questions=CHOICES), done(2, CHOSEN)),
         turn("tool", f"vscode_askQuestions: {json.dumps({'questions': CHOICES})}"), turn("tool", CHOSEN),
         turn("answer", "Pear, the old one", question="Which tree?", call="c1"), version="chat 0.51"),
    case("answer of a server", (asked(1, "srv-ask_user"), done(2, "User responded: Always trust me")), turn("tool", "srv-ask_user"),
         turn("tool", "User responded: Always trust me", outcome="succeeded")),
    case("another folder", (event(1, "session.context_changed", cwd="/srv/cellar"), event(2, "user.message", content="Prune")),
         turn("user", "Prune", cwd="/srv/cellar"), session={"cwd": "/srv/orchard"}),
    case("texts of the host", (event(1, "system.message", content="Always."), event(2, "session.info", message="We use Go.")),
         turn("note", "Always."), turn("note", "We use Go.")),
    case("unknown event", (event(1, "hologram.shown", content="Always."), event(2, "user.message", content="Prune")), turn("user", "Prune"),
         unknown=("hologram.shown",)),
    case("title", (event(1, "session.title_changed", title="Trees"),), session={"title": "Trees"}),
)  # fmt: skip
