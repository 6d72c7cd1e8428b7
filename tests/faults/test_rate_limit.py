"""The rate limit: exact over all workers, for each address that a client cannot make up."""

import re
from collections import Counter
from collections.abc import Iterator

import httpx
import pytest

from tests.faults.calls import as_, at_once, connecting, new_address, serving_pair
from tests.support.server import Server, environment
from tests.support.world import World, make_world

LIMIT = 100


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    environ = environment(tmp_path_factory.mktemp("data"), SITEHIVE_RATE_LIMIT=str(LIMIT))
    with serving_pair(environ) as running:
        yield make_world(running)


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server behind two proxies: one on this machine, one in a private network."""
    settings = {"SITEHIVE_RATE_LIMIT": str(LIMIT), "SITEHIVE_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8"}
    with serving_pair(environment(tmp_path_factory.mktemp("data"), **settings)) as running:
        yield running


def statuses(answers: list[httpx.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def test_of_three_hundred_at_once_one_hundred_get_through(limited: World) -> None:
    with connecting(limited.server, new_address()) as http:
        answers = at_once(300, lambda _: http.get("/v1/users", headers=as_(limited, "guest")))
    assert statuses(answers) == {200: 100, 429: 200}
    for answer in answers:
        assert answer.headers["ratelimit-policy"] == '"default";q=100;w=60'
        assert re.fullmatch(r'"default";r=\d+;t=([1-9]|[1-5]\d|60)', answer.headers["ratelimit"])
        if answer.status_code == 429:
            assert answer.json()["error"]["code"] == "rate_limited"
            assert 1 <= int(answer.headers["retry-after"]) <= 60
            assert answer.headers["ratelimit"].startswith('"default";r=0;')


def test_what_remains_is_told(limited: World) -> None:
    with connecting(limited.server, new_address()) as http:
        left = [http.get("/v1/users", headers=as_(limited, "guest")).headers["ratelimit"] for _ in range(3)]
    assert [entry.split(";")[1] for entry in left] == ["r=99", "r=98", "r=97"]


VARIANTS = ["/v1/users", "/v1/users/", "/v1/USERS", "/v1//users", "/v1/%75sers", "/v1/nothing", "/v1/users?a=1",
            "/v1/auth/login"]  # fmt: skip


def test_no_way_of_writing_a_path_is_free(limited: World) -> None:
    """Refusals count too, whatever they are for."""
    with connecting(limited.server, new_address()) as http:
        http.event_hooks = {}  # the published document does not speak of paths that are not written as they should be
        answers = at_once(150, lambda number: http.get(VARIANTS[number % len(VARIANTS)]))
    assert statuses(answers)[429] == 50


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "POST", "TRACE"])
def test_no_method_is_free(limited: World, method: str) -> None:
    with connecting(limited.server, new_address()) as http:
        answers = at_once(110, lambda _: http.request(method, "/v1/users"))
    assert statuses(answers)[429] == 10


def test_health_is_not_counted(limited: World) -> None:
    with connecting(limited.server, new_address()) as http:
        answers = at_once(110, lambda _: http.get("/healthz"))
    assert statuses(answers) == {200: 110}
    assert "ratelimit" not in answers[0].headers


FORGED = ["X-Forwarded-For", "X-Real-IP", "Forwarded", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP"]


@pytest.mark.parametrize("header", FORGED)
def test_a_claimed_address_changes_nothing(limited: World, header: str) -> None:
    def claim(number: int) -> dict[str, str]:
        claimed = f"198.51.100.{number}"
        return {header: f"for={claimed}" if header == "Forwarded" else claimed}

    with connecting(limited.server, new_address()) as http:
        answers = at_once(110, lambda number: http.get("/v1/users", headers=claim(number)))
    assert statuses(answers) == {401: 100, 429: 10}


def forwarded(server: Server, values: list[str], *, peer: str = "127.0.0.1") -> Counter[int]:
    with connecting(server, peer) as http:
        return statuses(at_once(len(values), lambda n: http.get("/v1/users", headers={"X-Forwarded-For": values[n]})))


def test_behind_a_trusted_proxy_each_client_counts_for_itself(proxied: Server) -> None:
    assert forwarded(proxied, ["203.0.113.1"] * 110) == {401: 100, 429: 10}
    assert forwarded(proxied, ["203.0.113.2"] * 110) == {401: 100, 429: 10}


def test_what_a_client_claims_through_a_proxy_is_not_believed(proxied: Server) -> None:
    assert forwarded(proxied, [f"198.51.100.{n}, 203.0.113.3" for n in range(110)]) == {401: 100, 429: 10}


def test_not_even_an_address_of_a_proxy(proxied: Server) -> None:
    assert forwarded(proxied, [f"198.51.100.{n}, 10.0.0.1, 203.0.113.4" for n in range(110)]) == {401: 100, 429: 10}


def test_a_chain_of_trusted_proxies_is_followed(proxied: Server) -> None:
    chain = [f"198.51.100.{n}, 203.0.113.5, 10.0.0.{n}" for n in range(110)]
    assert forwarded(proxied, chain) == {401: 100, 429: 10}


def test_whoever_is_no_trusted_proxy_speaks_for_nobody(proxied: Server) -> None:
    claims = [f"198.51.100.{n}" for n in range(110)]
    assert forwarded(proxied, claims, peer=new_address()) == {401: 100, 429: 10}


def test_an_ipv6_network_counts_as_one(proxied: Server) -> None:
    assert forwarded(proxied, [f"2001:db8:0:1::{n:x}" for n in range(110)]) == {401: 100, 429: 10}
    assert forwarded(proxied, ["2001:db8:0:2::1"]) == {401: 1}


@pytest.mark.parametrize(
    "nonsense", ["", "unknown", ",,,", "1.2.3.4:99999", "a" * 5_000, "fe80::1%eth0", "::ffff:1.2.3.4"]
)
def test_nonsense_from_a_proxy_breaks_nothing(proxied: Server, nonsense: str) -> None:
    assert set(forwarded(proxied, [nonsense] * 2)) <= {401, 429}
