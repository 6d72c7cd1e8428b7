"""What an operator can set, all of it through the environment."""

import os
import re
import secrets
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from msgspec import Struct

from sitehive.kernel.limiter import Rule

SECRET_FILE = "secret.key"  # noqa: S105  (the name of a file)


class SettingsError(ValueError):
    """A setting that makes no sense."""


class Settings(Struct, frozen=True):
    """Each field is set by `SITEHIVE_<NAME>`; the reference is in docs/settings.md."""

    data: Path = Path("data")
    database_url: str = ""
    secret_key: str = ""
    public_url: str = "http://localhost:8000"
    rate_limit: int = 6_000
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()

    @property
    def rate_rule(self) -> Rule | None:
        return Rule("api", self.rate_limit, 60) if self.rate_limit else None

    @property
    def secrets(self) -> list[str]:
        """The server's secrets, the current one first; made and kept in the data folder if none is set."""
        text = self.secret_key or _kept_secret(self.data / SECRET_FILE)
        return [part.strip() for part in re.split(r"[\n,]", text) if part.strip()]


def load_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    def text(name: str, default: str) -> str:
        return environ.get(f"SITEHIVE_{name}") or default

    return Settings(
        data=Path(text("DATA", "data")),
        database_url=text("DATABASE_URL", ""),
        secret_key=text("SECRET_KEY", ""),
        public_url=text("PUBLIC_URL", "http://localhost:8000").rstrip("/"),
        rate_limit=_whole_number("RATE_LIMIT", text("RATE_LIMIT", "6000")),
        trusted_proxies=_networks("TRUSTED_PROXIES", text("TRUSTED_PROXIES", "")),
    )


def _whole_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise SettingsError(f"SITEHIVE_{name} must be a whole number, not {text!r}")
    return int(text)


def _networks(name: str, text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(part, strict=False) for part in re.split(r"[\s,]+", text) if part)
    except ValueError as error:
        raise SettingsError(f"SITEHIVE_{name} must list addresses or networks: {error}") from None


def _kept_secret(path: Path) -> str:
    """Read the secret, or make it. Of two processes that start together, one makes it and both read the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        fresh.touch(0o600, exist_ok=False)
        fresh.write_text(secrets.token_urlsafe(48) + "\n")
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text()
