"""Sites: spec 2.3 and 4.3."""

from tests.support.client import Client
from tests.support.scenario import Scenario, play, table
from tests.support.server import sitehive
from tests.support.world import make_world

PUBLIC = {"title", "description"}


@table(
    Scenario(
        "the owner's sites",
        "owner",
        "GET /sites",
        check=lambda a: [site["name"][:5] for site in a["data"]] == ["site-"],
    ),
    Scenario("without a pagination member", "owner", "GET /sites", check=lambda a: set(a) == {"data", "meta"}),
    Scenario("an API key lists its creator's", "key", "GET /sites", check=lambda a: len(a["data"]) == 1),
    Scenario("other superadmins own none", "second", "GET /sites", data=[]),
    Scenario("guests own none", "guest", "GET /sites", data=[]),
    Scenario("nobody is refused", "nobody", "GET /sites", status=401),
    Scenario(
        "guests read their site",
        "guest",
        "GET /sites/{site}",
        data={"name": "site-~", "type": 2, "type_label": "Lua", "owner_id": "$owner"},
    ),
    Scenario("with public settings", "guest", "GET /sites/{site}", check=lambda a: set(a["data"]["config"]) == PUBLIC),
    Scenario(
        "moderators see no more", "moderator", "GET /sites/{site}", check=lambda a: set(a["data"]["config"]) == PUBLIC
    ),
    Scenario(
        "admins see all settings",
        "admin",
        "GET /sites/{site}",
        check=lambda a: {"jwt_enabled", "user_create_level"} < set(a["data"]["config"]),
    ),
    Scenario("a missing site", "owner", "GET /sites/999999999", status=404),
    Scenario("a malformed id", "owner", "GET /sites/demo", status=404),
    Scenario("sites cannot be made here", "owner", "POST /sites", {}, 405),
)
def test_sites(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


def test_another_site_does_not_exist(client: Client) -> None:
    other = make_world(client.world.server)
    refused = client.call("owner", f"GET /sites/{other.site_id}")
    missing = client.call("owner", "GET /sites/999999999")
    assert refused.status_code == 404
    assert refused.json()["error"] == missing.json()["error"]


def test_settings_bite_at_once(client: Client) -> None:
    changed = sitehive("site", "config", client.world.site, "title=Our place", environ=client.world.server.environ)
    assert changed.returncode == 0
    assert client.data("guest", "GET /sites/{site}")["config"] == {"title": "Our place", "description": ""}
