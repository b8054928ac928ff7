"""The settings page: values and their origins; a change is previewed as a difference of the file, then written."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import Field
from pathlib import Path
from typing import Any

import htpy as h
from htpy import Element, Node

from vademecum.domain.errors import InvalidInput
from vademecum.plugin_api.machine import load_settings, settings_changed, store_settings
from vademecum.plugins.pages import hosts, html
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.visit import Done, Shown, Visit
from vademecum.settings import EVERYDAY, config_path, in_file, rows, takes

#: Units of settings that cannot be changed here: a wrong path would hide the memory, and secrets are not shown.
_BY_HAND = ("path", "paths", "secret")

#: Where the title of a setting ends in the sentence that says what it does.
_TITLE_END = re.compile(r"[.:;](?= |$)")


async def page(visit: Visit) -> Shown:
    """Show all settings, common ones first."""
    settings = load_settings(config=visit.machine.config, forgiving=True)
    origins = dict(settings.origins)
    everyday = [row for row in rows() if row.name in EVERYDAY]
    others = [row for row in rows() if row.name not in EVERYDAY]
    shown = [[_row(visit, row, settings.value(row.name), origins) for row in part] for part in (everyday, others)]
    body = [
        h.h1["Settings"],
        h.p(".aside")["Saved in ", h.code[str(_file(visit))], ". A change is shown first, and written when you say so."],
        bool(settings.wrong) and h.section(".alarm")[h.ul[[h.li[entry] for entry in settings.wrong]]],
        await asyncio.to_thread(hosts.listed, visit),
        h.section[h.h2["Common settings"], h.ul(".entries")[shown[0]]],
        h.details[h.summary["All other settings"], h.ul(".entries")[shown[1]]],
    ]
    return Shown("Settings", body)


def _file(visit: Visit) -> Path:
    return visit.machine.config or config_path()


def _row(visit: Visit, row: Field[Any], value: object, origins: Mapping[str, str]) -> Element:
    unit, meaning = row.metadata["unit"], row.metadata["meaning"]
    text = "set" if unit == "secret" and value else _as_text(value)
    title = title_of(row)
    rest = meaning[len(title) :].lstrip(" .:;")
    return h.li(".entry", data_entry=True)[
        h.div(".line")[
            h.strong[_in_code(title)],
            h.code[row.name],
            h.code[text] if text else h.span(".aside")["not set"],
            None if unit in _BY_HAND else _change(visit, row, text),
        ],
        h.p(".small")[
            _in_code(rest),
            ". " * bool(rest and not rest.endswith(".")),
            _origin(origins[row.name], visit) if row.name in origins else "",
        ],
    ]


def title_of(row: Field[Any]) -> str:
    """Return the title of a setting: what comes first in the sentence that says what it does."""
    return _TITLE_END.split(str(row.metadata["meaning"]), maxsplit=1)[0]


def _in_code(text: str) -> list[Node]:
    """Return a text with its parts between backticks as code."""
    return [h.code[part] if place % 2 else part for place, part in enumerate(text.split("`"))]


def _origin(origin: str, visit: Visit) -> str:
    return " Set in that file." if origin == str(_file(visit)) else f" Set in {origin}."


def _change(visit: Visit, row: Field[Any], entry: str) -> Element:
    return h.details[
        h.summary["Change"],
        h.form(method="post", action=f"{PAGES}/do/setting", hx_replace_url="true")[
            html.carried(visit, {"name": row.name}),
            h.label(for_=f"set-{row.name}")[f"Takes {takes(row)}"],
            h.input(id=f"set-{row.name}", name="value", value=entry, autocomplete="off"),
            h.button["Show what would change"],
        ],
    ]


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


async def setting(visit: Visit) -> Done | Shown:
    """Preview a change of a setting as a difference of the file, or write it after that preview."""
    name, value = visit.form.get("name", ""), visit.form.get("value", "")
    row = next((row for row in rows() if row.name == name and row.metadata["unit"] not in _BY_HAND), None)
    if row is None:
        raise InvalidInput(f"{name!r} is not changed here.", f"Change it in {_file(visit)}.")
    typed = load_settings(config=visit.machine.config, overrides={name: value}).value(name)
    before, after = settings_changed(_file(visit), in_file(name, typed))
    if visit.form.get("seen") != after:
        return _preview(visit, name, value, before, after)
    store_settings(_file(visit), in_file(name, typed))
    return Done(f"{PAGES}/settings", f"Set: {name} = {_as_text(typed)}. The helper takes it over within half a minute.")


def _preview(visit: Visit, name: str, value: str, before: str, after: str) -> Shown:
    body = [
        h.h1[f"Change {name}"],
        h.p["In ", h.code[str(_file(visit))], ":"],
        html.difference(before, after),
        h.form(method="post", action=f"{PAGES}/do/setting", hx_replace_url="true")[
            html.carried(visit, {"name": name, "value": value, "seen": after}),
            h.div(".actions")[h.button(".main")["Write it"], h.a(".button", href=f"{PAGES}/settings")["Leave it"]],
        ],
    ]
    return Shown(f"Change {name}", body)
