"""Connect Four with two racks and moves at the same time."""

from naive.direct.connect_four_family import SimultaneousConnectFour

GAME = SimultaneousConnectFour()
