"""Conversations in account exports of ChatGPT and of Claude's web pages, one document each.

As of 2026. OpenAI and Anthropic document neither; after the descriptions in mitkury/chatgpt-export-parser
(docs/chatgpt-data-export-format.md) and of skillsynchq/txcript (docs/formats/claude-chat.md). A ChatGPT conversation is a tree,
`mapping`. The branch that ends in `current_node` is the one last displayed; other branches are earlier attempts and come after
it, since they were said as well. Claude's messages are in order, with a parent each.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from vademecum.plugin_api.transcripts import (
    Format,
    Reading,
    Record,
    Said,
    blocks_of,
    call,
    clean,
    mapping,
    mappings,
    parse_time,
    result,
    short,
    text_of,
    word,
    words_of,
)

_HIDDEN = frozenset({"user_editable_context", "model_editable_context"})
_THOUGHTS = frozenset({"thoughts", "reasoning_recap", "THINK"})


class _ChatGpt(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        self.head(id=value.get("conversation_id") or value.get("id"))
        self.carry.entitle("host", clean(text_of(value.get("title"))))
        nodes = mapping(value.get("mapping"))
        branch = _branch(nodes, value.get("current_node"))
        rest = [name for name in nodes if name not in set(branch)]
        for name in [*branch, *rest]:
            message = mapping(mapping(nodes.get(name)).get("message"))
            if message:
                ref = message.get("id") if isinstance(message.get("id"), str) else name
                time = parse_time(message.get("create_time") or message.get("inserted_at"))
                turns = _deepseek(message) if "fragments" in message else _chatgpt(message)
                self.add(record, turns, ref=ref, time=time)


def _branch(nodes: Mapping[str, Any], leaf: object) -> list[str]:
    """Return names of the nodes from the root to the leaf. A broken or cyclic chain gives the nodes up to that point."""
    names: list[str] = []
    met: set[str] = set()
    while isinstance(leaf, str) and leaf in nodes and leaf not in met:
        met.add(leaf)
        names.append(leaf)
        leaf = mapping(nodes[leaf]).get("parent")
    return names[::-1]


def _chatgpt(message: Mapping[str, Any]) -> Iterator[Said]:
    content, author = mapping(message.get("content")), mapping(message.get("author"))
    kind, role = word(content.get("content_type")), author.get("role")
    parts = content.get("parts")
    text = text_of(parts) or text_of(content.get("text")) or text_of(content.get("result"))
    about = mapping(message.get("metadata"))
    hidden = about.get("is_visually_hidden_from_conversation") or about.get("is_user_system_message")
    if hidden or kind in _HIDDEN:
        yield Said("injected", short(text))
    elif role == "user":
        pictures = isinstance(parts, list) and any(isinstance(part, dict) for part in parts)
        yield Said("user", text.strip() or ("[image]" if pictures else ""))
    elif role == "assistant":
        recipient = message.get("recipient", "all")
        if recipient not in ("all", None):
            yield call(recipient, text)
        elif kind not in _THOUGHTS:
            yield Said("agent", text)
    elif role == "tool":
        yield result(text, text_of(author.get("name")))
    elif text.strip():
        yield Said("note", short(text))


def _deepseek(message: Mapping[str, Any]) -> Iterator[Said]:
    for fragment in mappings(message.get("fragments")):
        text = text_of(fragment.get("content"))
        match word(fragment.get("type")):
            case "REQUEST":
                yield Said("user", text.strip())
            case "RESPONSE":
                yield Said("agent", text)
            case kind if kind not in _THOUGHTS:
                yield Said("note", short(text))


class ChatGpt(Format):
    """A conversation of a ChatGPT export, or of one of DeepSeek, which has fragments in the place of a message's content."""

    name = "chatgpt"
    reading = _ChatGpt
    spanning = True

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return isinstance(value.get("mapping"), dict) and ("current_node" in value or "title" in value)


class _ClaudeChat(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        self.head(id=value.get("uuid"))
        self.carry.entitle("host", clean(text_of(value.get("name"))))
        for message in mappings(value.get("chat_messages")):
            self.add(record, _claude(message), ref=message.get("uuid"), time=parse_time(message.get("created_at")))


def _claude(message: Mapping[str, Any]) -> Iterator[Said]:
    blocks = blocks_of(message.get("content"))
    words = words_of(blocks)
    words = words if words.strip() else text_of(message.get("text"))
    if message.get("sender") == "human":
        documents = list(_handed_over(message.get("attachments")))
        attached = message.get("attachments") or message.get("files") or message.get("files_v2")
        yield Said("user", words.strip() or ("[file]" if attached and not documents else ""))
        yield from documents
        return
    if message.get("sender") != "assistant":
        yield Said("note", short(words))
        return
    yield Said("agent", words)
    for block in blocks:
        if block.get("type") == "tool_use":
            yield call(block.get("name"), block.get("input"))
        elif block.get("type") == "tool_result":
            yield result(block.get("content"), text_of(block.get("name")))


def _handed_over(attachments: object) -> Iterator[Said]:
    """Yield the text of attachments: long pasted texts and files, which Claude's page takes out of the message."""
    for attachment in mappings(attachments):
        text = text_of(attachment.get("extracted_content")).strip()
        if text:
            name = clean(text_of(attachment.get("file_name")))
            yield Said("document", short(f"{name}\n{text}" if name else text))


class ClaudeChat(Format):
    """A conversation of a Claude export."""

    name = "claude-chat"
    reading = _ClaudeChat
    spanning = True

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return isinstance(value.get("chat_messages"), list) and "uuid" in value
