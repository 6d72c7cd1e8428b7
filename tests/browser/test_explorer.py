"""The page at `/docs`, in a real browser against a real server."""

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 375, "height": 812}
SITE, USERNAME, PASSWORD = "demo", "alice", "sitehive-demo"
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}

# An operation as none is today: an upload below another prefix, described in words that look like markup, whose answer
# holds itself.
STRANGE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Strange", "version": "1", "description": "<b>bold</b> and `code`"},
    "paths": {
        "/manage/v1/files/{name}": {
            "parameters": [{"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}],
            "put": {
                "operationId": "files.put",
                "summary": "<img src=x onerror=alert(1)>",
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "file": {"type": "string", "format": "binary"},
                                    "title": {"type": ["string", "null"], "maxLength": 9},
                                },
                                "required": ["file"],
                            }
                        }
                    }
                },
                "responses": {
                    "201": {
                        "description": "Created.",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Folder"}}},
                    }
                },
            },
        }
    },
    "components": {
        "schemas": {
            "Folder": {
                "type": "object",
                "properties": {
                    "kind": {"const": "folder"},
                    "parent": {"anyOf": [{"$ref": "#/components/schemas/Folder"}, {"type": "null"}]},
                },
            }
        }
    },
}


@pytest.fixture(scope="module")
def chromium() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    folder = tmp_path_factory.mktemp("explorer")
    command = [sys.executable, "-m", "sitehive", "serve", "--demo", "--data", str(folder), "--port", str(port)]
    log = folder / "server.log"
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        base = f"http://127.0.0.1:{port}"
        try:
            wait_until_healthy(base, process, log)
            yield base
        finally:
            process.terminate()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    yield from open_page(browser, DESKTOP)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    yield from open_page(browser, PHONE)


def open_page(browser: Browser, size: ViewportSize) -> Iterator[Page]:
    with browser.new_context(viewport=size) as context:
        yield context.new_page()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_healthy(base: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{base}/healthz", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the server did not start:\n{log.read_text()}")


def read_document(base: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{base}/openapi.json", timeout=5) as response:
        document: dict[str, Any] = json.load(response)
        return document


def operation_ids(base: str) -> list[str]:
    paths = read_document(base)["paths"].values()
    return [item[method]["operationId"] for item in paths for method in item if method in METHODS]


def open_explorer(page: Page, base: str, operation: str = "") -> None:
    page.goto(f"{base}/docs#{operation}")
    expect(page.locator("#operations a").first).to_be_attached()


def log_in(page: Page, password: str = PASSWORD) -> None:
    page.get_by_role("button", name="Log in").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Site").fill(SITE)
    dialog.get_by_label("Username").fill(USERNAME)
    dialog.get_by_label("Password").fill(password)
    dialog.get_by_role("button", name="Log in").click()


def send(page: Page) -> None:
    page.get_by_role("button", name="Send").click()


def test_it_loads_quietly_and_from_its_own_server_alone(page: Page, server: str) -> None:
    complaints: list[str] = []
    addresses: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: addresses.append(request.url))
    open_explorer(page, server)
    expect(page.get_by_role("heading", level=1)).to_have_text("Sitehive")
    for operation in operation_ids(server):
        page.goto(f"{server}/docs#{operation}")
        expect(page.locator(".crumb")).to_have_text(operation)
    assert complaints == []
    assert [address for address in addresses if not address.startswith((f"{server}/", "data:"))] == []


def test_it_lists_every_operation(page: Page, server: str) -> None:
    open_explorer(page, server)
    links = page.locator("#operations a").evaluate_all("links => links.map(link => link.hash.slice(1))")
    assert sorted(links) == sorted(operation_ids(server))


def test_the_filter_leaves_what_matches(page: Page, server: str) -> None:
    open_explorer(page, server)
    page.get_by_label("Filter operations").fill("users.me")
    visible = page.locator("#operations a:visible")
    expect(visible).to_have_count(1)
    visible.click()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.get_by_label("Filter operations").fill("nothing like this")
    expect(page.get_by_text("No operation matches.")).to_be_visible()


def test_an_unknown_link_says_so(page: Page, server: str) -> None:
    open_explorer(page, server, "no.such%operation")
    expect(page.get_by_role("alert")).to_contain_text("no.such%operation")


def test_a_user_logs_in_and_reads_her_profile(page: Page, server: str) -> None:
    open_explorer(page, server, "users.me")
    log_in(page)
    expect(page.locator("#who")).to_contain_text(USERNAME)
    send(page)
    expect(page.locator(".outcome")).to_contain_text("200")
    expect(page.get_by_role("region", name="Answer")).to_contain_text(f'"username": "{USERNAME}"')
    expect(page.locator(".headers")).to_contain_text("req_")
    expect(page.get_by_role("region", name="curl command")).to_contain_text("-H 'Authorization: Bearer ey")


def test_logging_out_takes_the_answer_along(page: Page, server: str) -> None:
    open_explorer(page, server, "users.me")
    log_in(page)
    send(page)
    expect(page.get_by_role("region", name="Answer")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    expect(page.locator("#who")).to_have_text("Not logged in")
    expect(page.get_by_role("region", name="Answer")).to_have_count(0)
    send(page)
    expect(page.locator(".outcome")).to_contain_text("401")


def test_a_wrong_password_is_said_in_the_dialog(page: Page, server: str) -> None:
    open_explorer(page, server)
    log_in(page, "not the password")
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("wrong")
    expect(page.locator("#who")).to_have_text("Not logged in")


def test_a_guest_lists_users_and_is_refused_a_profile(page: Page, server: str) -> None:
    open_explorer(page, server, "users.list")
    page.get_by_role("button", name="Guest").click()
    page.get_by_role("dialog").get_by_label("Site").fill(SITE)
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#who")).to_contain_text("Guest")
    page.get_by_role("textbox", name="search").fill("ali")
    send(page)
    expect(page.get_by_role("region", name="Answer")).to_contain_text('"totalItems": 1')
    page.goto(f"{server}/docs#users.me")
    send(page)
    expect(page.locator(".outcome")).to_contain_text("403")
    expect(page.get_by_role("region", name="Answer")).to_contain_text('"code": "forbidden"')


def test_a_pasted_token_is_recognised(page: Page, server: str) -> None:
    login = json.dumps({"site": SITE, "username": USERNAME, "password": PASSWORD}).encode()
    request = urllib.request.Request(f"{server}/v1/auth/login", login, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        token = json.load(response)["data"]["token"]
    open_explorer(page, server)
    page.get_by_role("button", name="Token").click()
    page.get_by_label("Token or API key").fill("hive_live_nonsense")
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).not_to_be_empty()
    page.get_by_label("Token or API key").fill(f"Bearer {token}")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("#who")).to_contain_text(USERNAME)


def test_a_refused_body_shows_what_was_wrong(page: Page, server: str) -> None:
    open_explorer(page, server, "users.create")
    log_in(page)
    page.get_by_label("Body").fill('{"username": "x"}')
    send(page)
    expect(page.locator(".outcome")).to_contain_text("422")
    expect(page.get_by_role("region", name="Answer")).to_contain_text('"code": "validation_error"')


def test_what_was_typed_is_still_there_on_coming_back(page: Page, server: str) -> None:
    open_explorer(page, server, "users.list")
    page.get_by_role("textbox", name="search").fill("bob")
    page.goto(f"{server}/docs#users.me")
    page.go_back()
    expect(page.get_by_role("textbox", name="search")).to_have_value("bob")


def test_a_phone_never_scrolls_sideways(phone: Page, server: str) -> None:
    open_explorer(phone, server)
    log_in(phone)
    for operation in ["", *operation_ids(server)]:
        phone.goto(f"{server}/docs#{operation}")
        expect(phone.get_by_role("heading", level=1)).to_be_visible()
        phone.locator("details").evaluate_all("all => all.forEach(details => details.open = true)")
        assert phone.evaluate("document.documentElement.scrollWidth") == PHONE["width"], operation


def test_a_phone_reaches_the_operations_through_the_menu(phone: Page, server: str) -> None:
    open_explorer(phone, server)
    phone.get_by_role("button", name="Operations").click()
    phone.locator("#operations a[href='#users.me']").click()
    expect(phone.get_by_role("navigation", name="Operations")).to_be_hidden()
    expect(phone.locator(".crumb")).to_have_text("users.me")


def test_it_copes_with_any_document_and_takes_none_of_it_for_markup(page: Page, server: str, tmp_path: Path) -> None:
    def answer(route: Route) -> None:
        route.fulfill(json=STRANGE)

    page.route("**/openapi.json", answer)
    picture = tmp_path / "it's.png"
    picture.write_bytes(b"picture")
    open_explorer(page, server, "files.put")
    expect(page.get_by_role("heading", level=1)).to_have_text("<img src=x onerror=alert(1)>")
    assert page.locator("main img").count() == 0
    page.get_by_role("textbox", name="name").fill("a/b c")
    page.get_by_label("file").set_input_files(picture)
    page.get_by_role("textbox", name="title").fill("T")
    expect(page.get_by_role("region", name="curl command")).to_have_text(
        f"curl -X PUT '{server}/manage/v1/files/a%2Fb%20c' \\\n  -F 'file=@it'\\''s.png' \\\n  --form-string 'title=T'"
    )
    with page.expect_request("**/manage/v1/files/**") as sent:
        send(page)
    assert sent.value.headers["content-type"].startswith("multipart/form-data; boundary=")
    expect(page.locator(".outcome")).to_contain_text("404")


def test_only_its_own_files_are_served_under_a_strict_policy(server: str, page: Page) -> None:
    found = page.request.get(f"{server}/docs/explorer.js")
    assert found.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "default-src 'none'" in found.headers["content-security-policy"]
    for name in ("index.html", "missing.js", "..%2Fdocs.py", ""):
        assert page.request.get(f"{server}/docs/{name}").status == 404
