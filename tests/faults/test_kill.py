"""Killed without warning while writes are in flight: nothing that was acknowledged is lost."""

import os
import random
import signal
import threading
from pathlib import Path
from typing import Any

import httpx

from tests.support.server import Server, environment, sitehive, start
from tests.support.world import World, make_world

ROUNDS = 20
WRITERS = ("owner", "second", "chief", "admin", "moderator", "senior", "alice", "bob")


class Ledger:
    """What was sent, and what the server said it has kept."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sent = dict.fromkeys(WRITERS, 0)
        self.kept = dict.fromkeys(WRITERS, 0)
        self.made: list[int] = []
        self.wanted = 0
        self.others: list[httpx.Response] = []
        self._grown = threading.Condition()

    def change(self, http: httpx.Client, who: str) -> None:
        self.sent[who] += 1
        answer = http.patch(
            f"/v1/users/{self.world.ids[who]}", json={"var": {"n": self.sent[who]}}, headers=self.head(who)
        )
        if answer.status_code == 200:
            self.kept[who] = self.sent[who]
        self._note(answer, 200)

    def make(self, http: httpx.Client, who: str) -> None:
        self.wanted += 1
        new = {"username": f"made-{self.wanted}", "password": "long enough"}
        answer = http.post("/v1/users", json=new, headers=self.head(who))
        if answer.status_code == 201:
            self.made.append(answer.json()["data"]["id"])
        self._note(answer, 201)

    def head(self, who: str) -> dict[str, str]:
        return {"Authorization": self.world.credentials[who]}

    def wait_for_more(self, number: int) -> None:
        """Until the server has acknowledged this many writes more."""
        with self._grown:
            target = self._size() + number
            assert self._grown.wait_for(lambda: self._size() >= target, timeout=30)

    def _size(self) -> int:
        return sum(self.kept.values()) + len(self.made)

    def _note(self, answer: httpx.Response, expected: int) -> None:
        if answer.status_code != expected:
            self.others.append(answer)
        with self._grown:
            self._grown.notify_all()


def load(server: Server, ledger: Ledger) -> list[threading.Thread]:
    """Everybody writes, as fast as they can, until the server is gone."""

    def keep_on(act: Any, who: str) -> None:
        with httpx.Client(base_url=server.url, timeout=30, verify=False) as http:
            try:
                while True:
                    act(http, who)
            except httpx.TransportError:
                return

    jobs = [(ledger.change, who) for who in WRITERS] + [(ledger.make, "owner")]
    threads = [threading.Thread(target=keep_on, args=job) for job in jobs]
    for thread in threads:
        thread.start()
    return threads


def check(server: Server, ledger: Ledger) -> None:
    with httpx.Client(base_url=server.url, timeout=30, verify=False, headers=ledger.head("owner")) as http:
        for who in WRITERS:
            found = http.get(f"/v1/users/{ledger.world.ids[who]}").json()["data"]["var"].get("n", 0)
            assert ledger.kept[who] <= found <= ledger.sent[who], who
            ledger.kept[who] = found
        there, page = [], 1
        while rows := http.get(f"/v1/users?limit=100&page={page}&search=made-").json()["data"]:
            there += [row["id"] for row in rows]
            page += 1
        assert set(ledger.made) <= set(there)
        assert len(there) <= ledger.wanted


def kill(server: Server) -> None:
    """End every process of a server at once, without a chance to tidy up."""
    os.killpg(server.process.pid, signal.SIGKILL)
    server.process.wait()


def test_no_acknowledged_write_is_lost(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    environ = environment(tmp_path / "data", TMPDIR=str(tmp_path / "tmp"))
    chance = random.Random()
    server = start(environ, workers=2)
    ledger = Ledger(make_world(server))
    try:
        for number in range(ROUNDS):
            threads = load(server, ledger)
            ledger.wait_for_more(chance.randint(1, 150))
            kill(server)
            for thread in threads:
                thread.join()
            server = start(environ, workers=2 if number % 4 == 0 else 1)
            check(server, ledger)
        diagnosis = sitehive("doctor", environ=environ)
    finally:
        kill(server)
    assert diagnosis.returncode == 0, diagnosis.stdout
    assert [(answer.status_code, answer.text) for answer in ledger.others] == []
    assert sum(ledger.kept.values()) > ROUNDS
    assert ledger.made
