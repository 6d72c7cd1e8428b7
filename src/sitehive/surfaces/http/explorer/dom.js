// Building the page. Data only ever becomes text nodes and attribute values, so nothing in it can turn into markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** The one piece of inline markup that descriptions use: `code`. */
export function inline(text) {
  return text.split(/`([^`]+)`/).map((part, place) => (place % 2 ? h("code", {}, part) : part));
}

export function prose(text) {
  const paragraphs = (text ?? "").trim().split(/\n\s*\n/);
  return paragraphs.filter(Boolean).map((paragraph) => h("p", {}, inline(paragraph)));
}

export function method(name) {
  return h("span", { class: "method", "data-method": name }, name.toUpperCase());
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON text, indented and coloured. It goes from token to token instead of through `JSON.parse`, which would round
 * identifiers beyond 2^53 and show the reader a number that the server never sent.
 */
export function json(text) {
  const tokens = text.match(TOKEN) ?? [];
  const code = h("code", { class: "json" });
  let indent = "\n";
  tokens.forEach((token, place) => {
    const [before, after] = [tokens[place - 1], tokens[place + 1]];
    if (token === "{" || token === "[") {
      const isEmpty = after === "}" || after === "]";
      if (!isEmpty) indent += "  ";
      code.append(isEmpty ? token : token + indent);
    } else if (token === "}" || token === "]") {
      const isEmpty = before === "{" || before === "[";
      if (!isEmpty) indent = indent.slice(0, -2);
      code.append(isEmpty ? token : indent + token);
    } else if (token === ",") code.append(token + indent);
    else if (token === ":") code.append(": ");
    else code.append(h("span", { class: kind(token, after) }, token));
  });
  return code;
}

function kind(token, after) {
  if (token.startsWith('"')) return after === ":" ? "key" : "string";
  return /^[-\d]/.test(token) ? "number" : "word";
}

/** A block of code that scrolls by itself; it takes the focus so that the keyboard can scroll it too. */
export function block(label, content) {
  const code = typeof content === "string" ? h("code", {}, content) : content;
  return h("pre", { tabindex: "0", role: "region", "aria-label": label }, code);
}

export function copyButton(label, source) {
  const button = h("button", { type: "button", class: "small", "aria-label": `Copy ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    await copy(source());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return button;
}

async function copy(element) {
  // Browsers offer the clipboard only over HTTPS and on localhost; elsewhere, selecting and copying still works.
  if (navigator.clipboard) return navigator.clipboard.writeText(element.textContent);
  getSelection().selectAllChildren(element);
  document.execCommand("copy");
}
