"""Connect Four with eight columns and six rows."""

from naive.direct.connect_four_family import ConnectFour

GAME = ConnectFour(8, 6)
