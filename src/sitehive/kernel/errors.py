"""Every refusal Sitehive can give, as a small tree.

    Refusal
    ├── InvalidRequest      400  invalid_request
    │   ├── MethodNotAllowed 405 invalid_request
    │   └── HeadersTooLarge 431  invalid_request
    ├── InvalidSite         400  invalid_site
    ├── Unauthorized        401  unauthorized
    ├── Expired             401  expired
    ├── Forbidden           403  forbidden
    ├── JwtDisabled         403  jwt_disabled
    ├── NotFound            404  not_found
    ├── Invalid             422  validation_error
    │   └── TooLarge        413  validation_error
    ├── RateLimited         429  rate_limited
    └── Failure             500  internal_error
        └── Unavailable     503  internal_error

The codes are a closed set. A refusal's text is written for the client; what caused it belongs in the log.
"""

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct


class Fault(Struct, frozen=True):
    """One input field that broke a rule, and how."""

    field: str
    message: str


class Refusal(Exception):  # noqa: N818  (a refusal is an answer, not a programming error)
    status: ClassVar[int]
    code: ClassVar[str]
    text: ClassVar[str]

    def __init__(
        self,
        message: str | None = None,
        *,
        details: Sequence[Fault] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message or self.text)
        self.message = message or self.text
        self.details = details
        self.retry_after = retry_after


class InvalidRequest(Refusal):
    status, code, text = 400, "invalid_request", "The request could not be understood."


class MethodNotAllowed(InvalidRequest):
    status, text = 405, "This path does not support that method."

    def __init__(self, allowed: Sequence[str]) -> None:
        super().__init__()
        self.allowed = allowed


class HeadersTooLarge(InvalidRequest):
    status, text = 431, "The request headers are too large."


class InvalidSite(Refusal):
    status, code, text = 400, "invalid_site", "The site is missing or unknown."


class Unauthorized(Refusal):
    status, code, text = 401, "unauthorized", "Valid credentials are required."


class Expired(Refusal):
    status, code, text = 401, "expired", "The credential has expired; authenticate again."


class Forbidden(Refusal):
    status, code, text = 403, "forbidden", "You are not allowed to do this."


class JwtDisabled(Refusal):
    status, code, text = 403, "jwt_disabled", "Token authentication is switched off for this site."


class NotFound(Refusal):
    status, code, text = 404, "not_found", "There is no such resource."


class Invalid(Refusal):
    status, code, text = 422, "validation_error", "The input failed validation."

    @classmethod
    def field(cls, field: str, message: str) -> "Invalid":
        return cls(details=[Fault(field, message)])


class TooLarge(Invalid):
    status, text = 413, "The request body is too large."


class RateLimited(Refusal):
    status, code, text = 429, "rate_limited", "Too many requests; slow down."


class Failure(Refusal):
    status, code, text = 500, "internal_error", "Something went wrong on our side."


class Unavailable(Failure):
    status, text = 503, "The service cannot answer right now; try again shortly."

    def __init__(self, message: str | None = None, *, retry_after: int = 1) -> None:
        super().__init__(message, retry_after=retry_after)
