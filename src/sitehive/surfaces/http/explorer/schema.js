// JSON Schema, told to a person: what type something has, which rules it keeps, what it may look like.

import { h, inline, prose } from "./dom.js";
import { resolve } from "./spec.js";

const unique = (items) => [...new Set(items)];
const options = (schema) => schema.anyOf ?? schema.oneOf ?? [];
const types = (schema) => [schema.type ?? []].flat();

export const hasType = (node, type) => {
  const schema = resolve(node);
  return types(schema).includes(type) || options(schema).some((option) => hasType(option, type));
};

export function typeOf(node) {
  const schema = resolve(node);
  if (options(schema).length) return unique(options(schema).map(typeOf)).join(" or ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (!schema.type && schema.enum) return unique(schema.enum.map(typeOfValue)).join(" or ");
  return types(schema).map((type) => named(type, schema)).join(" or ") || "anything";
}

function named(type, schema) {
  if (type === "array") return schema.items ? `array of ${typeOf(schema.items)}` : "array";
  if (type === "object") return schema.properties && schema.title ? schema.title : "object";
  if (type === "string" && schema.format) return schema.format;
  return type;
}

function typeOfValue(value) {
  if (value === null) return "null";
  return Number.isInteger(value) ? "integer" : typeof value;
}

export function descriptionOf(node) {
  const schema = resolve(node);
  return schema.description ?? options(schema).map(descriptionOf).find(Boolean);
}

/** The rules of a schema, each as a short phrase. */
export function rules(node) {
  const schema = resolve(node);
  const phrases = [
    schema.enum && `one of ${schema.enum.map(quoted).join(", ")}`,
    span(schema.minimum, schema.maximum, ""),
    schema.exclusiveMinimum != null && `more than ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum != null && `less than ${schema.exclusiveMaximum}`,
    schema.multipleOf != null && `a multiple of ${schema.multipleOf}`,
    span(schema.minLength, schema.maxLength, " characters"),
    span(schema.minItems, schema.maxItems, " items"),
    schema.uniqueItems && "no item twice",
    schema.pattern && `matches \`${schema.pattern}\``,
    schema.items && !hasType(schema.items, "object") && rules(schema.items).map((rule) => `each ${rule}`),
    options(schema).map(rules),
  ];
  return phrases.flat(Infinity).filter(Boolean);
}

function span(least, most, unit) {
  // A bound that a number of this language cannot hold would be shown wrongly, and bounds nothing in practice.
  const [low, high] = [least, most].map((bound) => (Math.abs(bound) <= Number.MAX_SAFE_INTEGER ? bound : null));
  if (low != null && low === high) return `exactly ${number(low)}${unit}`;
  if (low != null && high != null) return `${number(low)} to ${number(high)}${unit}`;
  if (low != null) return `at least ${number(low)}${unit}`;
  return high != null && `at most ${number(high)}${unit}`;
}

const number = (value) => value.toLocaleString("en");

const quoted = (value) => `\`${JSON.stringify(value)}\``;

/** A value that the schema would accept, made of the examples in it. */
export function sample(node, parents = []) {
  const schema = resolve(node);
  if (parents.includes(schema.properties ?? schema)) return null;
  const written = [schema.const, schema.example, schema.examples?.[0], schema.default, schema.enum?.[0]];
  const found = written.find((value) => value != null);
  if (found !== undefined) return found;
  const option = options(schema).find((one) => !hasType(one, "null")) ?? options(schema)[0];
  return option ? sample(option, parents) : blank(schema, parents);
}

function blank(schema, parents) {
  const type = types(schema).find((one) => one !== "null");
  const below = [...parents, schema.properties ?? schema];
  if (type === "object") {
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, sample(one, below)]));
  }
  if (type === "array") return schema.items ? [sample(schema.items, below)] : [];
  return { string: "text", integer: schema.minimum ?? 1, number: schema.minimum ?? 1, boolean: true }[type] ?? null;
}

/** The objects one gets to see inside a value: itself, its items, or whatever it may be. */
function objects(node) {
  const schema = resolve(node);
  if (schema.properties) return [schema];
  const inner = [schema.items, schema.additionalProperties, ...options(schema)];
  return inner.filter((one) => one && typeof one === "object").flatMap(objects);
}

/**
 * The fields of whatever objects are in a value, as a list; those within fields fold in. `mark` says what is worth
 * telling about a field: that it is "required" of whoever writes it, or "optional" to whoever reads it.
 */
export function fields(node, mark, parents = []) {
  const found = objects(node).filter((schema) => !parents.includes(schema.properties));
  return found.map((schema) => {
    const below = [...parents, schema.properties];
    const rows = Object.entries(schema.properties).map(([name, property], place) =>
      field(name, property, mark, Boolean(schema.required?.includes(name)) === (mark === "required"), below, place),
    );
    return [found.length > 1 && schema.title && h("h4", {}, schema.title), h("ul", { class: "fields" }, rows)];
  });
}

function field(name, property, mark, isMarked, parents, place) {
  const inner = fields(property, mark, parents);
  // What comes first in an answer is what one asked for.
  const isOpen = parents.length === 1 && place === 0;
  const schema = resolve(property);
  const notes = [...rules(property), schema.default != null && `default ${quoted(schema.default)}`].filter(Boolean);
  return h(
    "li",
    {},
    h(
      "div",
      { class: "field" },
      h("code", { class: "name" }, name),
      h("span", { class: "type" }, typeOf(property)),
      isMarked && h("span", { class: "mark" }, mark),
      schema.deprecated && h("span", { class: "deprecated" }, "deprecated"),
    ),
    prose(descriptionOf(property)),
    notes.length > 0 && h("p", { class: "rules" }, notes.flatMap((note, place) => [place ? " · " : "", inline(note)])),
    inner.length > 0 && h("details", { open: isOpen }, h("summary", {}, "Fields of ", h("code", {}, name)), inner),
  );
}
