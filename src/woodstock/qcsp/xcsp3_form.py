"""Quantified networks in the dialect of XCSP3: type QCSP, with the prefix as `<quantification>`.

    <quantification> <exists> x0 x1 </exists> <forall> y[] </forall> <exists> z </exists> </quantification>

All the rest is as in `woodstock.cp.xcsp3`, which reads and writes it.
"""

from __future__ import annotations

import io
from xml.etree import ElementTree

from woodstock.common.errors import UsageError
from woodstock.cp.xcsp3 import read_xcsp3, write_xcsp3
from woodstock.cp.xcsp3.variables import Variables
from woodstock.qcsp.network import Block, QuantifiedNetwork

TAGS = {"exists": False, "forall": True}


def read_quantified_xcsp3(text: str, name: str = "network") -> QuantifiedNetwork:
    """Return an instance of type QCSP.

    Raises:
        UsageError: The text is no such instance, or holds something that is not read.
    """
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as error:
        raise UsageError(f"expected an XCSP3 instance, found what is no XML: {error}") from None
    if root.tag != "instance" or root.get("type") != "QCSP":
        raise UsageError(f"expected an <instance> of type QCSP, found <{root.tag}> of type {root.get('type')}")
    prefixes = root.findall("quantification")
    if len(prefixes) != 1:
        raise UsageError(f"expected one <quantification>, found {len(prefixes)}")
    root.remove(prefixes[0])
    root.set("type", "CSP")
    network = read_xcsp3(ElementTree.tostring(root, encoding="unicode"))
    variables = Variables()
    for element in root.findall("variables/*"):
        variables.declare(element)
    blocks = []
    for element in prefixes[0]:
        if element.tag not in TAGS:
            raise UsageError(f"expected <exists> and <forall> in <quantification>, found <{element.tag}>")
        numbers = tuple(variables.number(word) for word in variables.listed(element.text or ""))
        blocks.append(Block(TAGS[element.tag], numbers))
    return QuantifiedNetwork(network, tuple(blocks), name)


def write_quantified_xcsp3(quantified: QuantifiedNetwork) -> str:
    """Return a network as an instance of type QCSP; the variable with the number n is called `vn`.

    Raises:
        UsageError: There is a constraint that cannot be written.
    """
    out = io.StringIO()
    write_xcsp3(quantified.network, out)
    prefix = "".join(
        f"    <{tag}> {' '.join(f'v{var}' for var in block.vars)} </{tag}>\n"
        for block in quantified.blocks
        for tag, is_universal in TAGS.items()
        if is_universal == block.is_universal and block.vars
    )
    text = out.getvalue().replace('type="CSP"', 'type="QCSP"', 1)
    return text.removesuffix("</instance>\n") + f"  <quantification>\n{prefix}  </quantification>\n</instance>\n"
