"""Files that hold quantified networks: which form a file has is told by its name, or else by how it begins."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from woodstock.common.errors import UsageError
from woodstock.common.files import write_atomically
from woodstock.qcsp.json_form import read_json, write_json
from woodstock.qcsp.network import QuantifiedNetwork
from woodstock.qcsp.qdimacs import read_qdimacs, write_qdimacs
from woodstock.qcsp.xcsp3_form import read_quantified_xcsp3, write_quantified_xcsp3


class Form(NamedTuple):
    """A way to write networks.

    Attributes:
        read: From a text and a name.
        write: To a text.
    """

    read: Callable[[str, str], QuantifiedNetwork]
    write: Callable[[QuantifiedNetwork], str]


FORMS: Final = {
    "json": Form(read_json, write_json),
    "xcsp3": Form(read_quantified_xcsp3, write_quantified_xcsp3),
    "qdimacs": Form(read_qdimacs, write_qdimacs),
}
"""All forms by name."""

SUFFIXES: Final = {".json": "json", ".xml": "xcsp3", ".xcsp3": "xcsp3", ".qdimacs": "qdimacs", ".qcnf": "qdimacs"}


def load_network(path: str) -> QuantifiedNetwork:
    """Return the network of a file; `-` stands for standard input.

    Raises:
        UsageError: There is no such file, or it holds no network; the message says where.
    """
    name = "standard input" if path == "-" else path
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        text = data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"expected a file with a network, found {path!r}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: expected text in UTF-8, found a byte that is none at {error.start}") from None
    form = SUFFIXES.get(Path(path).suffix.lower()) or _guess(text)
    try:
        return FORMS[form].read(text, Path(path).stem)
    except UsageError as error:
        raise UsageError("\n".join(f"{name}: {line}" for line in str(error).splitlines())) from None


def save_network(quantified: QuantifiedNetwork, path: str) -> None:
    """Write a network to a file, in the form that its name tells; JSON if it tells none."""
    text = FORMS[SUFFIXES.get(Path(path).suffix.lower(), "json")].write(quantified)
    try:
        write_atomically(Path(path), text.encode())
    except OSError as error:
        raise UsageError(f"expected a file that can be written, found {path!r}: {error.strerror}") from None


def _guess(text: str) -> str:
    start = text.lstrip()[:1]
    return "json" if start in ("{", "[") else "xcsp3" if start == "<" else "qdimacs"
