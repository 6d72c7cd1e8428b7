"""Builds the OpenAPI 3.1 document from the registry. Nothing here knows a single operation by name."""

from collections.abc import Iterable
from types import UnionType
from typing import Any, get_args

import msgspec

from sitehive import __version__
from sitehive.kernel.errors import Fault
from sitehive.kernel.operation import Operation, Registry
from sitehive.kernel.paging import Pagination
from sitehive.surfaces.openapi import refusals
from sitehive.surfaces.openapi.examples import example_of

Json = dict[str, Any]

REF = "#/components/schemas/{name}"
DESCRIPTION = """\
Users, forums, posts, messages and more of a multi-site platform.

The site is fixed by the credential, never by the address.

Ask `POST /v1/auth/token` for a guest token or `POST /v1/auth/login` for a user's, and send it as
`Authorization: Bearer <token>`. Servers send an API key instead, as `Authorization: <key>`.
"""
SECURITY = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A guest or login token. Good for 24 hours.",
    },
    "apiKey": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "An API key, sent as it is: `Authorization: hive_live_…`.",
    },
}
META: Json = {
    "type": "object",
    "properties": {
        "requestId": {"type": "string", "pattern": "^req_", "examples": ["req_3f9c2b7e1d4a58607b21c9d0"]},
        "timestamp": {"type": "string", "format": "date-time", "examples": ["2026-01-31T12:00:00.000Z"]},
    },
    "required": ["requestId", "timestamp"],
    "additionalProperties": False,
}


def render_document(registry: Registry, public_url: str) -> bytes:
    return msgspec.json.encode(build_document(registry, public_url))


def build_document(registry: Registry, public_url: str) -> Json:
    operations = list(registry)
    schemas = _components(operations)
    paths: Json = {}
    for operation in operations:
        path = paths.setdefault(f"/{operation.place}{operation.path}", {})
        path[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sitehive",
            "version": __version__,
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": public_url}],
        "tags": [{"name": name} for name in dict.fromkeys(operation.resource for operation in operations)],
        "paths": paths,
        "components": {"schemas": schemas, "responses": refusals.responses(), "securitySchemes": SECURITY},
    }


def _components(operations: Iterable[Operation]) -> Json:
    """The schemas of everything that comes out; `$defs`-style references go between them."""
    outputs = {kind for operation in operations for kind in _alternatives(operation.output)}
    types = [*sorted(outputs, key=str), Pagination, Fault]
    _, schemas = msgspec.json.schema_components(types, ref_template=REF)
    closed = {name: {**schema, "additionalProperties": False} for name, schema in schemas.items()}
    return {**closed, "Meta": META, "Error": refusals.ERROR}


def _alternatives(output: Any) -> list[Any]:
    """The types that an operation may answer with."""
    if output is None:
        return []
    return list(get_args(output)) if isinstance(output, UnionType) else [output]


def _operation(operation: Operation) -> Json:
    shape = operation.shape
    described: Json = {
        "operationId": operation.name,
        "tags": [operation.resource],
        "summary": operation.summary,
        "security": [{"token": []}, {"apiKey": []}] if operation.access.credential else [],
        "responses": {
            str(operation.status): _success(operation),
            **refusals.for_operation(operation),
        },
    }
    if operation.description:
        described["description"] = operation.description
    fields = [(field, "path") for field in shape.path]
    if shape.from_query:
        fields += [(field, "query") for field in shape.rest]
    if fields:
        described["parameters"] = [_parameter(field, place) for field, place in fields]
    if shape.has_body:
        described["requestBody"] = _body(operation)
    return described


def _parameter(field: msgspec.structs.FieldInfo, place: str) -> Json:
    schema = _inline(field.type)
    if not field.required and field.default not in (msgspec.UNSET, msgspec.NODEFAULT):
        schema["default"] = field.default
    parameter = {"name": field.name, "in": place, "required": field.required, "schema": schema}
    if description := schema.pop("description", None):
        parameter["description"] = description
    return parameter


def _body(operation: Operation) -> Json:
    schema = _inline(operation.shape.body)
    schema.pop("title", None)
    content: Json = {"schema": schema}
    example = {field.name: value for field in operation.shape.rest if (value := example_of(field.type)) is not None}
    if example:
        content["example"] = example
    required = operation.method != "POST" or not operation.shape.may_be_empty
    return {"required": required, "content": {"application/json": content}}


def _inline(kind: Any) -> Json:
    """A schema without references to others."""
    (schema,), components = msgspec.json.schema_components([kind], ref_template=REF)
    resolved: Json = _resolve(schema, components)
    return resolved


def _resolve(schema: Any, components: Json) -> Any:
    if isinstance(schema, list):
        return [_resolve(item, components) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _resolve(components[schema["$ref"].rpartition("/")[2]], components)
    return {key: _resolve(value, components) for key, value in schema.items()}


def _success(operation: Operation) -> Json:
    if operation.envelope == "empty":
        return {"description": "Done; there is no body.", "headers": refusals.HEADERS}
    found, _ = msgspec.json.schema_components(_alternatives(operation.output), ref_template=REF)
    item = found[0] if len(found) == 1 else {"anyOf": list(found)}
    data = item if operation.envelope == "single" else {"type": "array", "items": item}
    members: Json = {"data": data}
    if operation.envelope == "page":
        members["pagination"] = {"$ref": REF.format(name="Pagination")}
    members["meta"] = {"$ref": REF.format(name="Meta")}
    schema = {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }
    return {
        "description": "Created." if operation.status == 201 else "Done.",
        "headers": refusals.HEADERS,
        "content": {"application/json": {"schema": schema}},
    }
