// Who one is on this page.

import { h } from "./dom.js";
import { base } from "./spec.js";

const KEY_PREFIX = "hive_live_";
// Enough of a key to recognise it.
const SHOWN = KEY_PREFIX.length + 4;

/** Tells, as "change", that a credential was taken up or laid down. */
export const changes = new EventTarget();

// The credential lives in this variable and nowhere else. Browser storage would spare a login after a reload, but it
// would also keep a secret that is good for a day where it outlasts the visit and any script of the origin can read it.
let current = null;

/** The value of the `Authorization` header, if there is a credential. */
export function authorization() {
  return current && header(current.secret);
}

const header = (secret) => (secret.startsWith(KEY_PREFIX) ? secret : `Bearer ${secret}`);

/** For each dialog, what it does with its form. */
const WAYS = {
  async login({ site, username, password }) {
    const { token, user } = await ask("v1/auth/login", { json: { site, username, password } });
    return { secret: token, name: user.username, note: `${user.role} on ${site}` };
  },

  async guest({ site }) {
    const { token } = await ask("v1/auth/token", { json: { site } });
    return { secret: token, name: "Guest", note: `on ${site}` };
  },

  async paste({ secret: pasted }) {
    const secret = pasted.trim().replace(/^Bearer\s+/i, "");
    const isKey = secret.startsWith(KEY_PREFIX);
    const name = isKey ? "API key" : "Token";
    try {
      const user = await ask("v1/users/me", { secret });
      return { secret, name: user.username, note: `${user.role}, by ${name}` };
    } catch (refusal) {
      // Guests, and keys without the scope to read users, are refused with 403; what they hold is good all the same.
      if (refusal.status === 403) return { secret, name, note: isKey ? `${secret.slice(0, SHOWN)}…` : "" };
      throw refusal;
    }
  },
};

class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function ask(path, { json, secret }) {
  const headers = {};
  if (json) headers["Content-Type"] = "application/json";
  if (secret) headers.Authorization = header(secret);
  const options = { method: json ? "POST" : "GET", headers, body: json && JSON.stringify(json) };
  const response = await fetch(base + path, options).catch(() => {
    throw new Refused("The server could not be reached.");
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer.data;
  throw new Refused(explain(answer.error) ?? `The server answered with ${response.status}.`, response.status);
}

function explain(error) {
  const faults = error?.details?.map?.((fault) => `${fault.field}: ${fault.message}`).join("; ");
  return faults ? `${error.message} ${faults}` : error?.message;
}

function become(credential) {
  current = credential;
  changes.dispatchEvent(new Event("change"));
}

function show() {
  const who = current ? [h("strong", {}, current.name), ` ${current.note}`] : ["Not logged in"];
  document.getElementById("who").replaceChildren(...who);
  document.getElementById("ways").hidden = current !== null;
  document.getElementById("logout").hidden = current === null;
}

function prepare(dialog) {
  const form = dialog.querySelector("form");
  const refused = form.querySelector(".refused");
  form.querySelector("[data-closes]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    form.reset();
    refused.textContent = "";
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    refused.textContent = "";
    try {
      become(await WAYS[dialog.id](Object.fromEntries(new FormData(form))));
      dialog.close();
      document.getElementById("logout").focus();
    } catch (refusal) {
      refused.textContent = refusal.message;
    }
  });
}

export function start() {
  document.querySelectorAll("dialog").forEach(prepare);
  for (const button of document.querySelectorAll("[data-opens]")) {
    button.addEventListener("click", () => document.getElementById(button.dataset.opens).showModal());
  }
  document.getElementById("logout").addEventListener("click", () => {
    become(null);
    document.querySelector("[data-opens]").focus();
  });
  changes.addEventListener("change", show);
}
