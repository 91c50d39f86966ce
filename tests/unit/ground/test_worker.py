"""The worker's process ends with its caller, whatever happens to either."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from woodstock.common.limits import Limits
from woodstock.ground import worker
from woodstock.ground.process import WorkerError, ask_worker


def test_messages_come_back_as_they_were_sent() -> None:
    stream = io.BytesIO()
    worker.send(stream, worker.SECTION, 3)
    worker.send(stream, worker.RESULT, {"a": [1, (2, "x")]})
    stream.seek(0)
    assert worker.receive(stream) == (worker.SECTION, 3)
    assert worker.receive(stream) == (worker.RESULT, {"a": [1, (2, "x")]})
    assert worker.receive(stream) is None


def test_a_cut_message_is_no_message() -> None:
    stream = io.BytesIO()
    worker.send(stream, worker.RESULT, "a long text")
    assert worker.receive(io.BytesIO(stream.getvalue()[:-2])) is None


def request(text: str) -> dict[str, object]:
    return {"sections": [text], "num_fact_sections": 0, "named": [], "max_rules": 1000}


def test_the_grounders_own_error_is_passed_on() -> None:
    with pytest.raises(WorkerError, match="error"):
        ask_worker(worker.GROUND, request("p(X) :- not q(X)."), Limits(seconds=30))


def test_it_ends_when_the_caller_is_gone() -> None:
    """A caller that is killed closes the pipe; the worker, in the middle of its work, must not live on."""
    process = subprocess.Popen([sys.executable, "-P", worker.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    endless = "n(0). n(X+1) :- n(X), X < 1000000000. p(X,Y) :- n(X), n(Y)."
    worker.send(process.stdin, worker.GROUND, {**request(endless), "memory": 1 << 33})
    assert worker.receive(process.stdout) == (worker.SECTION, 0)
    process.stdin.close()
    assert process.wait(timeout=60) == 1
    process.stdout.close()
