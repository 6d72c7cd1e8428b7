// The inputs of the form: one for each parameter, and whatever suits the body.

import { h } from "./dom.js";
import { hasType, sample, typeOf } from "./schema.js";
import { isJson, resolve } from "./spec.js";

/** An input for one parameter: `{ element, read }`. */
export function parameterInput({ name, schema, required }) {
  const control = valueInput(schema, required);
  return { element: labelled(name, typeOf(schema), required, control), read: () => control.value.trim() };
}

const PLAIN = { autocomplete: "off", autocapitalize: "none", spellcheck: "false" };

function labelled(name, type, isRequired, control) {
  const about = h("span", { class: "type" }, isRequired ? `${type}, required` : type);
  return h("label", {}, h("span", {}, h("code", { class: "name" }, name), " ", about), control);
}

function valueInput(node, required) {
  const schema = resolve(node);
  const values = schema.enum ?? (schema.type === "boolean" && [true, false]);
  if (!values) return h("input", { required, placeholder: hint(schema), ...PLAIN });
  const texts = ["", ...values.map(String)];
  return h("select", { required }, texts.map((text) => h("option", { value: text }, text || "–")));
}

function hint(schema) {
  if (schema.default != null) return String(schema.default);
  return schema.examples?.length ? `for example ${schema.examples[0]}` : null;
}

/** An input for the body; `read` answers `{ content, type }`, or nothing if nothing is to be sent. */
export function bodyInput({ type, media, required }) {
  if (type.startsWith("multipart/")) return formInput(media.schema);
  if (isJson(type) || type.startsWith("text/")) return textInput(type, media, required);
  return fileInput(type, required);
}

function textInput(type, media, required) {
  const control = h("textarea", { required, rows: "4", ...PLAIN });
  control.value = isJson(type) ? JSON.stringify(example(media), null, 2) : String(example(media) ?? "");
  control.rows = Math.min(Math.max(control.value.split("\n").length + 1, 4), 18);
  return {
    element: h("label", {}, h("span", {}, "Body ", h("span", { class: "type" }, type)), control),
    read: () => (control.value.trim() ? { content: control.value, type } : undefined),
  };
}

function example(media) {
  return media.example ?? Object.values(media.examples ?? {})[0]?.value ?? sample(media.schema);
}

function fileInput(type, required) {
  const control = h("input", { type: "file", required });
  return {
    element: labelled("Body", type, required, control),
    read: () => control.files[0] && { content: control.files[0], type: control.files[0].type || type },
  };
}

/** A form with parts. The browser writes its content type, because only it knows the boundary between them. */
function formInput(node) {
  const schema = resolve(node);
  const parts = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const required = schema.required?.includes(name);
    const control = isFile(property)
      ? h("input", { type: "file", required, multiple: hasType(property, "array") })
      : valueInput(property, required);
    const type = isFile(property) ? "file" : typeOf(property);
    return { name, control, element: labelled(name, type, required, control) };
  });
  const element = h("div", { class: "parts" }, parts.map((part) => part.element));
  return { element, read: () => ({ content: collect(parts) }) };
}

function isFile(node) {
  const schema = resolve(node);
  if (schema.items) return isFile(schema.items);
  return schema.format === "binary" || Boolean(schema.contentMediaType) || Object.keys(schema).length === 0;
}

function collect(parts) {
  const form = new FormData();
  for (const { name, control } of parts) {
    const values = control.type === "file" ? [...control.files] : [control.value].filter(Boolean);
    values.forEach((value) => form.append(name, value));
  }
  return form;
}
