"""The network: players and hosts of the GGP protocol over HTTP.

- **Session**: a player that answers messages: text in, text out, one match at a time. It has no sockets; what it knows
  of its match is an **Engagement**, what is legal in it a **Shadow** tells, and the moves come from a **Thinker**.
- **HttpPlayer**: a session behind HTTP.
- **HostedMatch**: a game manager: asks **Contestants**, here and elsewhere, for their moves until the match is over. A
  **Transport** carries messages to those elsewhere, a **Scrambler** hides the names of things from them.
- **check_player**: finds out what a player does with good, bad and strange messages; a **Probe** sends them.

The library that speaks HTTP is aiohttp, and this package is its only door. It is an extra of the installation: `pip
install 'woodstock-ggp[server]'`.

>>> import asyncio
>>> from woodstock.players.process import ProcessPlayer
>>> from woodstock.server.session import Session
>>> async def ask(text):
...     return await Session(ProcessPlayer("legal")).answer(text)
>>> asyncio.run(ask("( INFO )"))
'( ( name Woodstock ) ( status available ) )'
"""
