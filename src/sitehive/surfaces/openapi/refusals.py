"""The refusals, as the document shows them: which operations can give which."""

from typing import Any

from sitehive.kernel import errors
from sitehive.kernel.errors import Refusal
from sitehive.kernel.operation import Operation

Json = dict[str, Any]

CODES = sorted(
    {
        refusal.code
        for refusal in (
            errors.InvalidRequest,
            errors.InvalidSite,
            errors.Unauthorized,
            errors.Expired,
            errors.Forbidden,
            errors.JwtDisabled,
            errors.NotFound,
            errors.Invalid,
            errors.RateLimited,
            errors.Failure,
        )
    }
)
ERROR: Json = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "enum": CODES},
                "message": {"type": "string", "description": "What went wrong, for a person."},
                "details": {
                    "description": "The fields that broke a rule, if that is what went wrong.",
                    "anyOf": [
                        {"type": "null"},
                        {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}},
                    ],
                },
            },
            "required": ["code", "message", "details"],
            "additionalProperties": False,
        },
        "meta": {"$ref": "#/components/schemas/Meta"},
    },
    "required": ["error", "meta"],
    "additionalProperties": False,
}
HEADERS: Json = {
    "X-Request-Id": {"description": "The request's identifier, as in `meta`.", "schema": {"type": "string"}},
    "RateLimit": {
        "description": "What is left of the rate limit, and for how long.",
        "schema": {"type": "string"},
    },
    "RateLimit-Policy": {"description": "The rate limit.", "schema": {"type": "string"}},
}
RETRY: Json = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}

# Name in the document, and the refusals that share the status.
GROUPS: dict[str, tuple[type[Refusal], ...]] = {
    "BadRequest": (errors.InvalidRequest, errors.InvalidSite),
    "Unauthorized": (errors.Unauthorized, errors.Expired),
    "Forbidden": (errors.Forbidden, errors.JwtDisabled),
    "NotFound": (errors.NotFound,),
    "MethodNotAllowed": (errors.MethodNotAllowed,),
    "TooLarge": (errors.TooLarge,),
    "ValidationError": (errors.Invalid,),
    "RateLimited": (errors.RateLimited,),
    "HeadersTooLarge": (errors.HeadersTooLarge,),
    "InternalError": (errors.Failure,),
    "Unavailable": (errors.Unavailable,),
}
WAITS = {"RateLimited", "Unavailable"}


def responses() -> Json:
    return {name: _response(name, members) for name, members in GROUPS.items()}


def for_operation(operation: Operation) -> Json:
    """The refusals that an operation can give, by status."""
    names = ["BadRequest", "RateLimited", "HeadersTooLarge", "InternalError", "Unavailable"]
    names += ["Unauthorized", "Forbidden"]
    if operation.path_fields:
        names.append("NotFound")
    if operation.shape.has_body:
        names.append("TooLarge")
    if operation.shape.has_body or operation.writes:
        names.append("ValidationError")
    found = {str(GROUPS[name][0].status): {"$ref": f"#/components/responses/{name}"} for name in names}
    return dict(sorted(found.items()))


def _response(name: str, members: tuple[type[Refusal], ...]) -> Json:
    codes = " or ".join(f"`{member.code}`" for member in members)
    examples = {member.__name__: {"value": _example(member)} for member in members}
    return {
        "description": f"{codes}: {members[0].text}",
        "headers": {**HEADERS, **(RETRY if name in WAITS else {})},
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}, "examples": examples}},
    }


def _example(refusal: type[Refusal]) -> Json:
    details = [{"field": "username", "message": "is required"}] if refusal is errors.Invalid else None
    return {
        "error": {"code": refusal.code, "message": refusal.text, "details": details},
        "meta": {"requestId": "req_3f9c2b7e1d4a58607b21c9d0", "timestamp": "2026-01-31T12:00:00.000Z"},
    }
