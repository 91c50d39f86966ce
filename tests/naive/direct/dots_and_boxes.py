"""Dots and Boxes."""

from naive.direct.dots_and_boxes_family import DotsAndBoxes

GAME = DotsAndBoxes()
