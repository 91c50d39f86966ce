"""Connect Four with twenty columns and twenty rows."""

from naive.direct.connect_four_family import ConnectFour

GAME = ConnectFour(20, 20)
