"""Warnings that the author of a rule sheet accepts: a comment names them, and says why.

>>> from woodstock.gdl.source import SourceText
>>> sorted(accepted_codes(SourceText("; accepted: never-won (nobody can win this)")))
['never-won']
"""

from __future__ import annotations

import re
from typing import Final

from woodstock.gdl.source import SourceText

_ACCEPTED: Final = re.compile(r"^[ \t]*;+[ \t]*accepted:[ \t]*([a-z-]+(?:[ \t]*,[ \t]*[a-z-]+)*)", re.MULTILINE)


def accepted_codes(source: SourceText) -> frozenset[str]:
    """Return the codes of the warnings that comments `; accepted: CODE, CODE (why)` of a sheet name."""
    return frozenset(code.strip() for found in _ACCEPTED.findall(source.text) for code in found.split(","))
