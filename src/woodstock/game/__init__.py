"""Games: one protocol for everything that can play rules, and the tools around it.

Glossary:

* **Game**: rules that can be played (`protocol`). The **reference** reasoner (`reference`) works on the rules as
  written, slow and certain; the **ground** one on the ground program. `backends` names them, `load` finds the rules.
* **Position**: a state of a game; a set of **fluents**, to the eye. **Joint move**: one move a role. **Percept**: what
  a role is shown. **Goal**: what the rules give a role at the end, 0..100.
* **Line**: joint moves from the initial position on. **Playout**: a simulated play (`walk`). **Trace**: recorded plays
  (`traces`).
* **Perft**: the number of lines by length (`perft`). **Traits**: what kind of game it is, proved or sampled (`traits`).
* **Verifier**: two reasoners side by side, or one along a trace (`verify`). **Findings**: what is wrong with a sheet
  and only shows in play (`playcheck`).

>>> from woodstock.game.backends import build_game
>>> from woodstock.gdl.sheet import parse_rules
>>> rules = parse_rules("(role you) (init (left 2)) (legal you wait) (<= terminal (true (left 0)))"
...     "(<= (next (left 1)) (true (left 2))) (<= (next (left 0)) (true (left 1))) (goal you 100)")
>>> game = build_game(rules, "reference")
>>> position = game.initial_position()
>>> while not game.is_terminal(position):
...     position = game.next_position(position, ["wait"])
>>> game.goal_values(position, role=0)
('100',)
"""
