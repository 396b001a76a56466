"""From a format's name to the function that renders it. A format is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from toolkit.errors import ToolkitError
from toolkit.reporting.report import Report

Renderer = Callable[[Report], str]

NAMES: Final = ("text", "json", "sarif", "junit", "markdown")


def renderer(name: str, *, colour: bool = False, width: int | None = None) -> Renderer:
    """The renderer of the format called ``name`` (one of ``NAMES``).

    ``colour`` and ``width`` (characters; null: lines are as long as they are) concern text alone. An unknown name
    raises ``ToolkitError`` with the code ``unknown_format``.
    """
    match name:
        case "text":
            from toolkit.reporting import text

            return partial(text.render, colour=colour, width=width)
        case "json":
            from toolkit.reporting import json_output

            return json_output.render
        case "sarif":
            from toolkit.reporting import sarif

            return sarif.render
        case "junit":
            from toolkit.reporting import junit

            return junit.render
        case "markdown":
            from toolkit.reporting import markdown

            return markdown.render
    raise ToolkitError("unknown_format", f"there is no format {name!r}", next_step=f"choose one of: {', '.join(NAMES)}")
