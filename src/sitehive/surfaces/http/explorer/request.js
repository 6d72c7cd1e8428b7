// A call, put together once: as the browser makes it, and as curl would.

import { authorization } from "./credential.js";
import { hasType } from "./schema.js";
import { base } from "./spec.js";

/** `values` pairs each parameter with the text given for it; `body` is `{ content, type }`, or nothing. */
export function assemble(operation, values, body) {
  const headers = {};
  const query = new URLSearchParams();
  let path = operation.path;
  for (const [parameter, text] of values) {
    const { name, in: place } = parameter;
    if (text === "") continue;
    if (place === "path") path = path.replace(`{${name}}`, () => encodeURIComponent(text));
    if (place === "header") headers[name] = text;
    if (place === "query") items(parameter, text).forEach((item) => query.append(name, item));
  }
  // Where no credential is asked for none is sent, so that an expired one cannot get in the way of a new login.
  if (operation.security.length && authorization()) headers.Authorization = authorization();
  if (body?.type) headers["Content-Type"] = body.type;
  const search = query.size ? `?${query}` : "";
  return { method: operation.method.toUpperCase(), url: base + path.slice(1) + search, headers, body: body?.content };
}

function items(parameter, text) {
  if (!hasType(parameter.schema, "array") || parameter.explode === false) return [text];
  return text.split(",").map((item) => item.trim());
}

export function curl({ method, url, headers, body }) {
  return [
    method === "GET" ? `curl ${quote(url)}` : `curl -X ${method} ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...data(body),
  ].join(" \\\n  ");
}

function data(body) {
  if (body === undefined) return [];
  if (typeof body === "string") return [`--data-raw ${quote(body)}`];
  if (body instanceof File) return [`--data-binary ${quote(`@${body.name}`)}`];
  return [...body].map(([name, value]) =>
    value instanceof File ? `-F ${quote(`${name}=@${value.name}`)}` : `--form-string ${quote(`${name}=${value}`)}`,
  );
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
