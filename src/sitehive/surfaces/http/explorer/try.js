// The form that calls an operation, and what came back.

import { block, copyButton, h, inline, json } from "./dom.js";
import { authorization, changes } from "./credential.js";
import { bodyInput } from "./body.js";
import { command } from "./curl.js";
import { descriptionOf, hasType, sample, typeOf } from "./schema.js";
import { base, isJson, resolve } from "./spec.js";
