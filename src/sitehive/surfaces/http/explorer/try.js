// "Try it": a form that calls the operation, and what came back.

import { changes, authorization } from "./credential.js";
import { block, copyButton, h, json } from "./dom.js";
import { bodyInput, parameterInput } from "./inputs.js";
import { assemble, curl } from "./request.js";
import { isJson } from "./spec.js";

export function tryIt(operation) {
  const inputs = operation.parameters
    .filter((parameter) => parameter.in !== "cookie")
    .map((parameter) => ({ parameter, ...parameterInput(parameter) }));
  const body = operation.body && bodyInput(operation.body);
  const request = () => assemble(operation, inputs.map(({ parameter, read }) => [parameter, read()]), body?.read());

  const isOpen = !operation.security.length || operation.security.some((schemes) => !schemes.length);
  const send = h("button", { class: "primary" }, "Send");
  const missing = h("p", { class: "missing" }, "This operation needs a credential. Log in at the top of the page.");
  const command = h("code");
  const form = h(
    "form",
    { input: refresh, submit: call },
    missing,
    inputs.length > 0 && h("div", { class: "parameters" }, inputs.map((input) => input.element)),
    body?.element,
    send,
  );
  const result = resultOf(operation);

  function refresh() {
    missing.hidden = isOpen || authorization() !== null;
    command.textContent = curl(request());
  }

  async function call(event) {
    event.preventDefault();
    if (send.ariaBusy === "true") return;
    send.ariaBusy = "true";
    await result.follow(request());
    send.ariaBusy = "false";
  }

  changes.addEventListener("change", () => {
    refresh();
    result.clear(); // What one identity was shown should not stay on the screen for the next.
  });
  refresh();
  return h(
    "section",
    { class: "try", "aria-labelledby": "try-title" },
    h("h2", { id: "try-title" }, "Try it"),
    form,
    result.element,
    titled("As a command", copyButton("the command", () => command)),
    block("curl command", command),
  );
}

function titled(title, button) {
  return h("div", { class: "titled" }, h("h3", {}, title), button);
}

function resultOf(operation) {
  // Only the outcome is announced; having a whole answer read aloud would help nobody.
  const outcome = h("p", { class: "outcome", role: "status" });
  const answer = h("div");
  const headers = [...new Set(operation.responses.flatMap(([, response]) => Object.keys(response.headers ?? {})))];

  let controller = new AbortController();

  async function follow({ url, ...options }) {
    const { signal } = (controller = new AbortController());
    outcome.replaceChildren("Sending…");
    answer.replaceChildren();
    const started = performance.now();
    try {
      const response = await fetch(url, { ...options, signal });
      const content = await response.blob();
      const took = Math.round(performance.now() - started);
      outcome.replaceChildren(verdict(response), h("span", {}, `${took} ms`), size(content));
      answer.replaceChildren(...received(headers, response), ...(await shown(content)));
      outcome.scrollIntoView({ block: "nearest" });
    } catch {
      if (signal.aborted) return;
      const failure = h("span", { class: "status", "data-kind": "5" }, "No answer");
      outcome.replaceChildren(failure, h("span", {}, "The server could not be reached."));
    }
  }

  function clear() {
    controller.abort();
    outcome.replaceChildren();
    answer.replaceChildren();
  }

  return { element: h("div", { class: "result" }, outcome, answer), follow, clear };
}

function verdict({ status, statusText }) {
  return h("span", { class: "status", "data-kind": String(status)[0] }, `${status} ${statusText}`.trim());
}

function size({ size: bytes }) {
  if (!bytes) return "";
  return h("span", {}, bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`);
}

/** The headers that the document speaks of, as far as they came. */
function received(names, response) {
  const rows = names
    .filter((name) => response.headers.has(name))
    .map((name) => h("div", {}, h("dt", {}, name), h("dd", {}, h("code", {}, response.headers.get(name)))));
  return rows.length ? [h("dl", { class: "headers" }, rows)] : [];
}

async function shown(content) {
  if (!content.size) return [];
  if (!isJson(content.type) && !content.type.startsWith("text/")) {
    return [h("p", {}, "A file of type ", h("code", {}, content.type || "unknown"), ".")];
  }
  const text = await content.text();
  const code = isJson(content.type) ? json(text) : h("code", {}, text);
  return [titled("Answer", copyButton("the answer", () => code)), block("Answer", code)];
}
