"""Scenarios: one line for each rule and each refusal, readable as the specification."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.client import Client


@dataclass(frozen=True)
class Scenario:
    """`who` does `route` with `body`, and gets `status`: an error of `code`, or data that holds `data`."""

    name: str
    who: str
    route: str
    body: Any = None
    status: int = 200
    code: str | None = None
    data: Any = None
    check: Callable[[Any], bool] | None = None
    field: str | None = None


CODES = {400: "invalid_request", 401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "invalid_request",
         413: "validation_error", 422: "validation_error"}  # fmt: skip


def table(*scenarios: Scenario) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("scenario", scenarios, ids=[scenario.name for scenario in scenarios])


def play(scenario: Scenario, client: Client) -> None:
    response = client.call(scenario.who, scenario.route, _fill(scenario.body, client))
    assert response.status_code == scenario.status, response.text
    if scenario.status == 204:
        return
    answer = response.json()
    if scenario.status >= 400:
        assert answer["error"]["code"] == (scenario.code or CODES[scenario.status]), answer
        if scenario.field is not None:
            assert scenario.field in [fault["field"] for fault in answer["error"]["details"]], answer
        return
    if scenario.data is not None:
        _assert_holds(answer["data"], _fill(scenario.data, client))
    if scenario.check is not None:
        assert scenario.check(answer), answer


def _fill(value: Any, client: Client) -> Any:
    """`$alice` stands for her id, and `~` for the word that is unique to the world."""
    if isinstance(value, dict):
        return {key: _fill(item, client) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill(item, client) for item in value]
    if isinstance(value, str) and value.startswith("$"):
        return client.world.ids[value[1:]]
    if isinstance(value, str):
        return value.replace("~", client.world.canary)
    return value


def _assert_holds(actual: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert actual[key] == value, (key, actual)
    else:
        assert actual == expected
