"""`/openapi.json`: every route with parameters and results, generated from the tables."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from vademecum import __version__
from vademecum.entrypoints.arguments import param_schema, schema
from vademecum.entrypoints.http.older import OlderRoute
from vademecum.entrypoints.schemas import answer_schema
from vademecum.entrypoints.verbs.verb import REQUIRED, Param, Verb

#: Statuses that every route may return, and when (see `app.py`).
PROBLEMS = {
    "400": "An argument is missing or invalid.", "401": "The token is missing or wrong.",
    "403": "It is not allowed: by the guard, the settings, or because of where the request comes from.",
    "404": "It does not exist.", "409": "It exists already, is ambiguous, or changed meanwhile.",
    "413": "The body is too large.", "415": "The body is not JSON.", "421": "The host name is not served.",
    "422": "The arguments are valid, but what they ask for cannot be done.", "429": "Too many requests in a minute.",
    "501": "This is not there yet.", "503": "The memory cannot be used right now.", "507": "It could not be written to the disk.",
}  # fmt: skip


def document(verbs: Iterable[Verb], others: Iterable[OlderRoute]) -> dict[str, Any]:
    """Return the OpenAPI document."""
    definitions: dict[str, Any] = {
        "ProblemDetails": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("error", "message", "hint")},
            "required": ["error", "message", "hint"],
        }
    }
    paths: dict[str, Any] = {"/health": {"get": _health()}}
    for verb in verbs:
        gives = answer_schema(verb.run, definitions)
        paths[f"/v1/{verb.slug}"] = _verb_path(verb, gives)
    for other in others:
        operation = _operation(other.name, other.meaning, other.params, dict(other.gives), other.method)
        paths.setdefault(other.path, {})[other.method] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "Vademecum", "version": __version__, "description": "One person's memory, on this machine."},
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": definitions, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _verb_path(verb: Verb, gives: dict[str, Any]) -> dict[str, Any]:
    path = {"post": _operation(verb.slug, verb.meaning, verb.params, gives, "post")}
    if not verb.writes:
        path["get"] = _operation(f"get-{verb.slug}", verb.meaning, verb.params, gives, "get")
    return path


def _operation(name: str, meaning: str, params: tuple[Param, ...], gives: dict[str, Any], method: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"operationId": name, "summary": meaning}
    if method in ("get", "delete"):
        fields["parameters"] = [_query(param) for param in params]
    else:
        body = schema(_Takes(name, params))
        fields["requestBody"] = {"required": bool(body.get("required")), "content": {"application/json": {"schema": body}}}
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}
    answers: dict[str, Any] = {"200": {"description": "Done.", "content": {"application/json": {"schema": gives}}}}
    fields["responses"] = answers | {status: {"description": why, "content": problem} for status, why in PROBLEMS.items()}
    return fields


def _query(param: Param) -> dict[str, Any]:
    return {
        "name": param.name,
        "in": "query",
        "required": param.default is REQUIRED,
        "description": param.meaning,
        "schema": param_schema(param),
    }


def _health() -> dict[str, Any]:
    gives = {"type": "object", "properties": {"status": {"type": "string"}, "version": {"type": "string"}}}
    done = {"200": {"description": "It serves.", "content": {"application/json": {"schema": gives}}}}
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}
    turned_away = {status: {"description": PROBLEMS[status], "content": problem} for status in ("403", "421", "429")}
    return {"operationId": "health", "summary": "Whether the server runs.", "security": [], "responses": done | turned_away}


class _Takes(Struct, frozen=True):
    name: str
    params: tuple[Param, ...]
