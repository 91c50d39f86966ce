"""XCSP3, the format in which constraint solvers exchange instances (xcsp.org): networks are written to it and read."""

from woodstock.cp.xcsp3.reader import read_xcsp3
from woodstock.cp.xcsp3.writer import Stage, write_xcsp3

__all__ = ["Stage", "read_xcsp3", "write_xcsp3"]
