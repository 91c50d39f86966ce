"""Woodstock: a general game playing system."""

__version__ = "0.1.0.dev0"
