// The page as a whole: the list of operations, and which of them is shown.

import * as credential from "./credential.js";
import { h, method } from "./dom.js";
import { link, overview, page } from "./operation.js";
import { load, operations } from "./spec.js";

const content = document.getElementById("content");
const sidebar = document.getElementById("sidebar");
const filter = document.getElementById("filter");
const menu = document.getElementById("menu");

/** Operations under their tags, in the document's order. */
function group(spec) {
  const groups = new Map((spec.tags ?? []).map(({ name, description }) => [name, { description, operations: [] }]));
  for (const operation of operations()) {
    if (!groups.has(operation.tag)) groups.set(operation.tag, { operations: [] });
    groups.get(operation.tag).operations.push(operation);
  }
  return new Map([...groups].filter(([, { operations }]) => operations.length));
}

function list(groups) {
  const sections = [...groups].map(([tag, { operations }]) =>
    h("section", {}, h("h2", {}, tag), h("ul", {}, operations.map(entry))),
  );
  document.getElementById("operations").replaceChildren(...sections);
  filter.addEventListener("input", () => narrow(sections));
}

function entry(operation) {
  const words = [operation.id, operation.method, operation.path, operation.summary].join(" ").toLowerCase();
  const parts = [method(operation.method), h("span", {}, operation.summary)];
  return h("li", { "data-words": words }, h("a", { href: link(operation), title: operation.path }, parts));
}

function narrow(sections) {
  const wanted = filter.value.toLowerCase().split(/\s+/);
  let count = 0;
  for (const section of sections) {
    const items = [...section.querySelectorAll("li")];
    for (const item of items) item.hidden = !wanted.every((word) => item.dataset.words.includes(word));
    const left = items.filter((item) => !item.hidden).length;
    section.hidden = left === 0;
    count += left;
  }
  document.getElementById("nothing").hidden = count > 0;
  document.getElementById("found").textContent = count === 1 ? "1 operation" : `${count} operations`;
}

function router(spec, groups) {
  const known = new Map(operations().map((operation) => [link(operation), operation]));
  // A page is built once and kept, so that what was typed and answered is still there when one comes back.
  const built = new Map();

  return function show() {
    const operation = known.get(location.hash);
    if (!built.has(operation)) built.set(operation, operation ? page(operation) : overview(spec.info, groups));
    content.replaceChildren(built.get(operation));
    if (location.hash && !operation) {
      content.prepend(notice(`There is no operation called “${location.hash.slice(1)}”.`));
    }
    document.title = operation ? `${operation.summary} – ${spec.info.title}` : `${spec.info.title} API`;
    for (const anchor of sidebar.querySelectorAll("a")) {
      const isCurrent = operation && anchor.hash === link(operation);
      if (isCurrent) anchor.setAttribute("aria-current", "page");
      else anchor.removeAttribute("aria-current");
    }
  };
}

function notice(text) {
  return h("p", { class: "notice", role: "alert" }, text);
}

function toggleMenu(isOpen) {
  menu.setAttribute("aria-expanded", String(isOpen));
  sidebar.classList.toggle("open", isOpen);
  content.inert = isOpen;
}

async function start() {
  credential.start();
  const spec = await load();
  const groups = group(spec);
  document.getElementById("title").textContent = spec.info.title;
  document.getElementById("version").textContent = spec.info.version;
  list(groups);
  const show = router(spec, groups);
  show();
  sidebar.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  addEventListener("hashchange", () => {
    show();
    scrollTo(0, 0);
    content.querySelector("h1").focus({ preventScroll: true });
  });
}

document.getElementById("skip").addEventListener("click", () => content.focus());
menu.addEventListener("click", () => toggleMenu(!sidebar.classList.contains("open")));
sidebar.addEventListener("click", (event) => event.target.closest("a") && toggleMenu(false));
// A window that grows wide enough shows the list beside the content, which must then be usable again.
matchMedia("(min-width: 56rem)").addEventListener("change", () => toggleMenu(false));
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && sidebar.classList.contains("open")) {
    toggleMenu(false);
    menu.focus();
  }
});

start().catch((error) => {
  content.replaceChildren(notice(`The document could not be read. ${error.message}`));
});
