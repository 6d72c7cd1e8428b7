// What the page says about one operation, and about all of them.

import { block, h, inline, json, method, prose } from "./dom.js";
import { descriptionOf, fields, rules, sample, typeOf } from "./schema.js";
import { isJson, resolve } from "./spec.js";
import { tryIt } from "./try.js";

export const link = (operation) => `#${encodeURIComponent(operation.id)}`;

export function overview(info, groups) {
  return h(
    "article",
    { class: "overview" },
    h("h1", { tabindex: "-1" }, info.title),
    prose(info.description),
    [...groups].map(([tag, { description, operations }]) => section(tag, prose(description), index(operations))),
  );
}

function index(operations) {
  const rows = operations.map((operation) =>
    h(
      "li",
      {},
      h("a", { href: link(operation) }, operation.summary),
      h("span", { class: "address" }, method(operation.method), h("code", {}, operation.path)),
    ),
  );
  return h("ul", { class: "index" }, rows);
}

export function page(operation) {
  return h(
    "article",
    { class: "operation" },
    h(
      "header",
      {},
      h("p", { class: "crumb" }, operation.id),
      h("h1", { tabindex: "-1" }, operation.summary),
      h("p", { class: "address" }, method(operation.method), h("code", {}, address(operation.path))),
      operation.deprecated && h("p", { class: "deprecated" }, "Deprecated: it will go away."),
      prose(operation.description),
    ),
    h(
      "div",
      { class: "input" },
      section("Credential", credential(operation.security)),
      operation.parameters.length > 0 && section("Parameters", parameters(operation.parameters)),
      operation.body && section("Body", body(operation.body)),
    ),
    tryIt(operation),
    section("Responses", operation.responses.map(([status, response]) => answer(status, response))),
  );
}

function section(title, ...content) {
  return h("section", {}, h("h2", {}, title), content);
}

/** The path, with its parameters set apart and with places where a narrow screen may break it. */
function address(path) {
  return path.split(/(\{[^}]*\})/).map((part, place) => {
    if (place % 2) return h("var", {}, part);
    return part.split(/(?<=\/)/).flatMap((piece) => [piece, h("wbr")]);
  });
}

function credential(security) {
  if (!security.length) return h("p", {}, "None needed.");
  const ways = security.map((schemes, place) =>
    h(
      "li",
      {},
      place > 0 && "or ",
      h("strong", {}, schemes.map((scheme) => scheme.label).join(" and ") || "None"),
      schemes.map((scheme) => scheme.description && [" ", inline(scheme.description)]),
    ),
  );
  return h("ul", { class: "ways-in" }, ways);
}

const COLUMNS = ["Name", "In", "Type", "Default", "Description"];

function parameters(list) {
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, COLUMNS.map((column) => h("th", { scope: "col" }, column)))),
    h("tbody", {}, list.map(parameter)),
  );
}

function parameter({ name, in: place, required, schema, description }) {
  const preset = resolve(schema).default;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, h("code", { class: "name" }, name), required && h("span", { class: "mark" }, "required")),
    h("td", { "data-column": "In" }, place),
    h("td", { "data-column": "Type" }, typeOf(schema)),
    h("td", { "data-column": "Default" }, preset == null || preset === "" ? "–" : h("code", {}, String(preset))),
    h("td", {}, prose(description ?? descriptionOf(schema)), rules(schema).map(asParagraph)),
  );
}

const asParagraph = (rule) => h("p", { class: "rules" }, inline(rule));

function body({ type, media, description }) {
  const form = !isJson(type) && h("p", {}, "Sent as ", h("code", {}, type), ".");
  return [form, prose(description), structure(media.schema, "required")];
}

function structure(schema, mark) {
  const found = fields(schema, mark);
  return found.length ? found : h("p", { class: "type" }, typeOf(schema));
}

function answer(status, response) {
  const isGood = status.startsWith("2");
  const content = Object.entries(response.content ?? {});
  const headers = Object.entries(response.headers ?? {});
  return h(
    "details",
    { class: "answer", open: isGood && content.length > 0 },
    h(
      "summary",
      {},
      h("span", { class: "status", "data-kind": status[0] }, status),
      h("span", {}, inline(response.description ?? "")),
    ),
    content.map(([type, media]) => {
      const example = isJson(type) ? examples(status, media) : h("p", {}, h("code", {}, type));
      const described = structure(media.schema, "optional");
      // Refusals all have the same fields, so theirs stay out of the way.
      return [example, isGood ? [h("h3", {}, "Fields"), described] : folded("Fields", described)];
    }),
    headers.length > 0 && folded("Headers", fields(asSchema(headers), "optional")),
  );
}

function folded(title, content) {
  return h("details", {}, h("summary", {}, title), content);
}

function asSchema(headers) {
  const properties = headers.map(([name, node]) => {
    const { schema, description } = resolve(node);
    return [name, { ...resolve(schema), description }];
  });
  return { properties: Object.fromEntries(properties), required: headers.map(([name]) => name) };
}

function examples(status, media) {
  const written = Object.entries(media.examples ?? {}).map(([name, { summary, value }]) => [summary ?? name, value]);
  if (!written.length) written.push(["Example", media.example ?? sample(media.schema)]);
  return written.map(([name, value]) => [h("h3", {}, name), block(`${status}: ${name}`, json(JSON.stringify(value)))]);
}
