// The published document: fetching it, following its references, listing its operations.

/** Where the interface lives, seen from this file: one folder up. */
export const base = new URL("..", import.meta.url).href;

// A path's description holds more than its methods; everything else in it is not an operation.
const METHODS = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);

let spec;

export async function load() {
  const response = await fetch(`${base}openapi.json`);
  if (!response.ok) throw new Error(`The server answered with ${response.status}.`);
  spec = await response.json();
  return spec;
}

/** The node itself, or what it refers to, with whatever is written beside the reference laid over it. */
export function resolve(node) {
  // A schema may also be `true`, which is as good as one that says nothing.
  if (typeof node !== "object" || node === null) return {};
  if (node.$ref) {
    const { $ref, ...beside } = node;
    const names = $ref.slice(2).split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    const target = resolve(names.reduce((found, name) => found?.[name], spec) ?? {});
    return { title: names.at(-1), ...target, ...beside };
  }
  if (node.allOf) {
    const { allOf, ...beside } = node;
    return [...allOf, beside].map(resolve).reduce(combine, {});
  }
  return node;
}

function combine(left, right) {
  const both = { ...left, ...right };
  if (left.properties && right.properties) both.properties = { ...left.properties, ...right.properties };
  if (left.required && right.required) both.required = [...left.required, ...right.required];
  return both;
}

export function operations() {
  return Object.entries(spec.paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item).filter((key) => METHODS.has(key)).map((method) => describe(path, item, method)),
  );
}

function describe(path, item, method) {
  const found = item[method];
  const own = (found.parameters ?? []).map(resolve);
  const shared = (item.parameters ?? [])
    .map(resolve)
    .filter((one) => !own.some((other) => other.name === one.name && other.in === one.in));
  return {
    ...found,
    path,
    method,
    id: found.operationId ?? `${method}${path}`,
    tag: found.tags?.[0] ?? "other",
    summary: found.summary ?? path,
    parameters: [...shared, ...own],
    body: body(resolve(found.requestBody)),
    responses: Object.entries(found.responses ?? {}).map(([status, response]) => [status, resolve(response)]),
    security: credentials(found.security ?? spec.security ?? []),
  };
}

/** The body in the one form that the page offers: JSON if there is a choice. */
function body(requestBody) {
  const types = Object.keys(requestBody.content ?? {});
  const type = types.find(isJson) ?? types[0];
  return type && { ...requestBody, type, media: requestBody.content[type] };
}

export const isJson = (type) => /^application\/(.+\+)?json\b/.test(type);

function credentials(security) {
  return security.map((needed) => Object.keys(needed).map((name) => scheme(name)));
}

function scheme(name) {
  const found = resolve(spec.components?.securitySchemes?.[name]);
  const label = { http: "Bearer token", apiKey: "API key" }[found.type] ?? name;
  return { label, description: found.description };
}
