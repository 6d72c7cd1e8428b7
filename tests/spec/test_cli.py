"""The command line: names, options, answers and exit codes that scripts depend on."""

import asyncio
import json
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sitehive.app import open_product
from sitehive.cli import main
from sitehive.settings import load_settings
from tests.support.server import environment, sitehive

PASSWORD = ("--password", "long enough")


@pytest.fixture
def environ(tmp_path: Path, database_url: str) -> Mapping[str, str]:
    return environment(tmp_path, database_url)


@pytest.fixture
def name(tmp_path: Path) -> str:
    """A site's name that no other test uses: on Postgres they share a database."""
    return f"cli-{secrets.token_hex(4)}"


def invoke(environ: Mapping[str, str], *arguments: str, typed: str = "") -> Result:
    """Run a command in this process, which saves starting another."""
    return CliRunner(env=environ).invoke(main, arguments, input=typed)


def run(environ: Mapping[str, str], *arguments: str, typed: str = "") -> Any:
    """Run a command that must succeed; answers the object it prints."""
    done = invoke(environ, *arguments, "--json", typed=typed)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def refuse(environ: Mapping[str, str], *arguments: str, code: int = 1, typed: str = "") -> str:
    """Run a command that must be refused; answers the reason, which is one line."""
    done = invoke(environ, *arguments, typed=typed)
    assert (done.exit_code, done.stdout) == (code, ""), done.output
    assert isinstance(done.exception, SystemExit)
    if code == 1:
        assert len(done.stderr.strip().splitlines()) == 1
    return done.stderr


def test_the_command_itself(tmp_path: Path) -> None:
    done = sitehive("token", "nowhere", environ=environment(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "Error: There is no such site.\n")


def test_a_limit_that_makes_no_sense(tmp_path: Path) -> None:
    done = sitehive("migrate", environ={**environment(tmp_path), "SITEHIVE_MAX_BODY": "a lot"})
    assert (done.returncode, done.stderr) == (
        1,
        "Error: SITEHIVE_MAX_BODY must be a positive whole number, not 'a lot'\n",
    )


def test_a_site_with_its_owner(environ: Mapping[str, str], name: str) -> None:
    made = run(environ, "site", "create", name, "--owner", "boss", *PASSWORD, "--email", "b@x.org", "--type", "native")
    assert made["site"]["name"] == name
    assert (made["site"]["type_label"], made["site"]["owner_id"]) == ("Native App", made["owner"]["id"])
    assert (made["owner"]["level"], made["owner"]["email"]) == (10, "b@x.org")
    assert "already a site" in refuse(environ, "site", "create", name, "--owner", "boss", *PASSWORD)


@pytest.mark.parametrize("bad", ["Demo", "-demo", "de mo", "demo.site", "x" * 64, ""])
def test_a_site_name_is_a_subdomain(environ: Mapping[str, str], bad: str) -> None:
    assert "subdomain" in refuse(environ, "site", "create", "--owner", "boss", *PASSWORD, "--", bad)


def test_a_short_password_makes_no_site(environ: Mapping[str, str], name: str) -> None:
    assert "password" in refuse(environ, "site", "create", name, "--owner", "boss", "--password", "short")
    assert "no such site" in refuse(environ, "token", name)


def test_passwords_from_standard_input(environ: Mapping[str, str], name: str) -> None:
    run(environ, "site", "create", name, "--owner", "boss", "--password", "-", typed="long enough\n")
    run(environ, "user", "create", "ann", "--site", name, "--password", "-", typed="long enough\n")


def test_settings(environ: Mapping[str, str], name: str) -> None:
    run(environ, "site", "create", name, "--owner", "boss", *PASSWORD)
    assert run(environ, "site", "config", name)["jwt_enabled"] is True
    changed = run(environ, "site", "config", name, "jwt_enabled=false", "title=A=B")
    assert (changed["jwt_enabled"], changed["title"]) == (False, "A=B")
    assert run(environ, "site", "config", name) == changed
    assert "known settings" in refuse(environ, "site", "config", name, "colour=blue")
    assert "user_create_level" in refuse(environ, "site", "config", name, "user_create_level=11")
    assert "key=value" in refuse(environ, "site", "config", name, "nonsense", code=2)
    assert run(environ, "site", "config", name) == changed


def test_users(environ: Mapping[str, str], name: str) -> None:
    run(environ, "site", "create", name, "--owner", "boss", *PASSWORD)
    made = run(environ, "user", "create", "ann", "--site", name, *PASSWORD, "--level", "6", "--email", "ann@x.org")
    assert (made["username"], made["level"], made["email"]) == ("ann", 6, "ann@x.org")
    assert "already taken" in refuse(environ, "user", "create", "ANN", "--site", name, *PASSWORD)
    assert "no such site" in refuse(environ, "user", "create", "ann", "--site", "nowhere", *PASSWORD)
    refuse(environ, "user", "create", "eve", "--site", name, *PASSWORD, "--level", "11", code=2)


def test_tokens(environ: Mapping[str, str], name: str) -> None:
    run(environ, "site", "create", name, "--owner", "boss", *PASSWORD)
    assert run(environ, "token", name)["token"].count(".") == 2
    assert run(environ, "token", name, "--as", "Boss", "--ttl", "60")["token"].count(".") == 2
    assert "no user called" in refuse(environ, "token", name, "--as", "stranger")
    assert "no such site" in refuse(environ, "token", "nowhere")
    refuse(environ, "token", name, "--ttl", "86401", code=2)


def test_removing_a_site(environ: Mapping[str, str], name: str) -> None:
    run(environ, "site", "create", name, "--owner", "boss", *PASSWORD)
    assert "--yes" in refuse(environ, "site", "delete", name, code=2)
    assert run(environ, "site", "delete", name, "--yes") == {"deleted": name}
    assert "no such site" in refuse(environ, "site", "delete", name, "--yes")
    run(environ, "site", "create", name, "--owner", "boss", *PASSWORD)


def test_migrate_and_doctor(environ: Mapping[str, str], tmp_path: Path) -> None:
    run(environ, "migrate")
    assert run(environ, "migrate") == {"applied": []}
    found = run(environ, "doctor")
    assert found["ok"] is True
    assert all(check["ok"] for check in found["checks"])


def test_doctor_sees_a_secret_that_others_can_read(environ: Mapping[str, str], tmp_path: Path) -> None:
    run(environ, "migrate")
    (tmp_path / "secret.key").chmod(0o644)
    done = invoke(environ, "doctor")
    assert done.exit_code == 1
    assert "BAD" in done.stdout


def test_doctor_sees_wrong_counters(environ: Mapping[str, str], name: str) -> None:
    site = run(environ, "site", "create", name, "--owner", "boss", *PASSWORD)["site"]

    async def count(change: int) -> None:
        async with open_product(load_settings(environ)) as product:
            await product.database.write(
                lambda db: db.run(
                    "update user_counts set n = n + :change where site_id = :site",
                    {"change": change, "site": site["id"]},
                )
            )

    asyncio.run(count(1))
    done = invoke(environ, "doctor")
    assert (done.exit_code, f"site {site['id']}" in done.stdout) == (1, True)
    asyncio.run(count(-1))
    assert invoke(environ, "doctor").exit_code == 0


def test_the_document(environ: Mapping[str, str]) -> None:
    done = invoke(environ, "openapi")
    assert json.loads(done.stdout)["openapi"] == "3.1.0"


@pytest.mark.parametrize("arguments", [[], ["site"], ["user"], ["serve"], ["token"], ["doctor"], ["site", "create"]])
def test_everything_has_help(arguments: list[str], tmp_path: Path) -> None:
    done = invoke(environment(tmp_path), *arguments, "--help")
    assert done.exit_code == 0
    assert done.stdout.startswith("Usage:")


def test_wrong_usage(tmp_path: Path) -> None:
    environ = environment(tmp_path)
    refuse(environ, "nonsense", code=2)
    refuse(environ, "site", "create", code=2)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("RATE_LIMIT", "many"), ("TRUSTED_PROXIES", "proxy"), ("DATABASE_URL", "mysql://x"), ("SECRET_KEY", "short")],
)
def test_a_setting_that_makes_no_sense(tmp_path: Path, setting: str, value: str) -> None:
    environ = {**environment(tmp_path), f"SITEHIVE_{setting}": value}
    assert refuse(environ, "migrate")


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        reason = refuse(environment(tmp_path), "serve", "--port", str(taken.getsockname()[1]))
    assert "cannot listen" in reason


def test_a_database_that_is_away(tmp_path: Path) -> None:
    environ = environment(tmp_path, "postgresql://nobody@127.0.0.1:1/nothing")
    assert "cannot be reached" in refuse(environ, "migrate")
