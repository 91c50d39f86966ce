"""Dots and Boxes in which fewer boxes win."""

from naive.direct.dots_and_boxes_family import DotsAndBoxes

GAME = DotsAndBoxes(fewer_win=True)
