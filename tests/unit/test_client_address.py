"""Where a request comes from: what proxies say counts as far as they are trusted, and not one step further."""

from ipaddress import ip_network
from typing import Any

import pytest

from sitehive.kernel.limiter import counted_as
from sitehive.surfaces.http.request import Networks, Request, client_address

PROXY = "127.0.0.1"
NOBODY: Networks = ()
ONE: Networks = (ip_network("127.0.0.1"),)
SEVERAL: Networks = (ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("fd00::/8"))

ADDRESSES: dict[str, tuple[str, str, Networks, str]] = {
    "nothing forwarded": ("203.0.113.9", "", SEVERAL, "203.0.113.9"),
    "nothing forwarded by a proxy": (PROXY, "", SEVERAL, PROXY),
    "nobody is trusted": (PROXY, "198.51.100.1", NOBODY, PROXY),
    "an untrusted peer": ("203.0.113.9", "198.51.100.1", SEVERAL, "203.0.113.9"),
    "a client behind a proxy": (PROXY, "198.51.100.1", ONE, "198.51.100.1"),
    "a claim left of the client": (PROXY, "6.6.6.6, 198.51.100.1", ONE, "198.51.100.1"),
    "many claims": (PROXY, "1.1.1.1, 2.2.2.2,3.3.3.3 , 198.51.100.1", SEVERAL, "198.51.100.1"),
    "a claim of the proxy's own address": (PROXY, "127.0.0.1, 198.51.100.1", ONE, "198.51.100.1"),
    "a second proxy that is not trusted": (PROXY, "198.51.100.1, 10.0.0.2", ONE, "10.0.0.2"),
    "a second proxy that is": (PROXY, "198.51.100.1, 10.0.0.2", SEVERAL, "198.51.100.1"),
    "three proxies": (PROXY, "198.51.100.1, fd00::1, 10.0.0.2", SEVERAL, "198.51.100.1"),
    "a proxy asks for itself": (PROXY, "10.0.0.2", SEVERAL, "10.0.0.2"),
    "only proxies": (PROXY, "10.0.0.3, 10.0.0.2", SEVERAL, "10.0.0.3"),
    "nonsense": (PROXY, "unknown", ONE, PROXY),
    "nonsense left of the client": (PROXY, "unknown, 198.51.100.1", ONE, "198.51.100.1"),
    "nonsense between": (PROXY, "198.51.100.1, unknown, 10.0.0.2", SEVERAL, "10.0.0.2"),
    "an empty hop": (PROXY, "198.51.100.1,", ONE, PROXY),
    "a port": (PROXY, "198.51.100.1:443", ONE, PROXY),
    "a network": (PROXY, "198.51.100.0/24", ONE, PROXY),
    "a number": (PROXY, "3325256705", ONE, PROXY),
    "leading zeros": (PROXY, "198.051.100.001", ONE, PROXY),
    "an IPv6 client": (PROXY, "2001:DB8:0:0::1", ONE, "2001:db8::1"),
    "an IPv4 client in IPv6 clothes": (PROXY, "::ffff:198.51.100.1", ONE, "198.51.100.1"),
    "a proxy in IPv6 clothes": ("::ffff:127.0.0.1", "198.51.100.1", ONE, "198.51.100.1"),
    "a proxy in the middle in IPv6 clothes": (PROXY, "198.51.100.1, ::ffff:10.0.0.2", SEVERAL, "198.51.100.1"),
    "an IPv6 proxy": ("fd00::5", "198.51.100.1", SEVERAL, "198.51.100.1"),
    "a peer without an address": ("/run/sitehive.sock", "198.51.100.1", SEVERAL, "/run/sitehive.sock"),
}


@pytest.mark.parametrize(("peer", "forwarded", "trusted", "address"), ADDRESSES.values(), ids=ADDRESSES)
def test_where_a_request_comes_from(peer: str, forwarded: str, trusted: Networks, address: str) -> None:
    assert client_address(peer, forwarded.encode(), trusted) == address


LIMITED = {
    "198.51.100.1": "198.51.100.1",
    "2001:db8:0:1::1": "2001:db8:0:1::/64",
    "2001:db8:0:1:ffff:ffff:ffff:ffff": "2001:db8:0:1::/64",
    "2001:db8:0:2::1": "2001:db8:0:2::/64",
    "::1": "::/64",
    "fe80::1%eth0": "fe80::/64",
    "/run/sitehive.sock": "/run/sitehive.sock",
}


@pytest.mark.parametrize(("address", "name"), LIMITED.items())
def test_an_ipv6_customer_counts_as_one(address: str, name: str) -> None:
    assert counted_as(address) == name


def request(headers: list[tuple[bytes, bytes]], trusted: Networks, client: Any = (PROXY, 5)) -> Request:
    scope = {"method": "GET", "path": "/", "raw_path": b"/", "query_string": b"", "headers": headers, "client": client}

    async def receive() -> dict[str, Any]:
        return {}

    return Request(scope, receive, trusted)


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        ([b"198.51.100.1"], "198.51.100.1"),
        ([b"6.6.6.6", b"198.51.100.1"], "198.51.100.1"),
        ([b"198.51.100.1", b"10.0.0.2"], "198.51.100.1"),
        ([b"6.6.6.6, 198.51.100.1", b"10.0.0.3, 10.0.0.2"], "198.51.100.1"),
        ([b"\xff\xfe"], PROXY),
        ([], PROXY),
    ],
)
def test_several_lines_are_read_as_one(lines: list[bytes], address: str) -> None:
    headers = [(b"accept", b"*/*"), *[(b"x-forwarded-for", line) for line in lines]]
    assert request(headers, SEVERAL).origin.address == address
    assert request(headers, NOBODY).origin.address == PROXY


def test_a_client_without_an_address_gets_one() -> None:
    assert request([], SEVERAL, client=None).origin.address == "0.0.0.0"
