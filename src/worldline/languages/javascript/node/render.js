// Values as text, in JavaScript's own notation, without executing code of the program.
import { types } from "node:util";

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
const INDEX = /^(?:0|[1-9]\d{0,15})$/;
const MAX_DEPTH = 40;
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v" };
const ESCAPED = /[\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Surrogate}/gu;

/** Thrown to stop the rendering of a value that is too long. */
const TOO_LONG = Symbol("too long");

/**
 * The text of a value.
 *
 * @param value Any value of the program.
 * @param {number} maxChars Longer texts are shortened.
 */
export function render(value, maxChars) {
  if (typeof value === "string" && value.length > maxChars) {
    const text = stringText(value.slice(0, maxChars));
    return `${text.slice(0, maxChars)}… <cut: ${value.length + 2} characters>`;
  }
  const session = { parts: [], chars: 0, maxChars, open: [] };
  try {
    write(session, value, 0);
  } catch (error) {
    if (error !== TOO_LONG) throw error;
  }
  const text = session.parts.join("");
  if (session.chars <= maxChars) return text;
  return `${text.slice(0, maxChars)}… <cut: more than ${maxChars} characters>`;
}

function put(session, text) {
  session.parts.push(text);
  session.chars += text.length;
  if (session.chars > session.maxChars) throw TOO_LONG;
}

function write(session, value, depth) {
  switch (typeof value) {
    case "string":
      return put(session, stringText(value.length > session.maxChars ? value.slice(0, session.maxChars + 1) : value));
    case "number":
      return put(session, Object.is(value, -0) ? "-0" : String(value));
    case "bigint":
      return put(session, `${value}n`);
    case "symbol":
      return put(session, symbolText(value));
    case "function":
      return put(session, functionText(value));
    case "object":
      return value === null ? put(session, "null") : writeObject(session, value, depth);
    default:
      return put(session, String(value));
  }
}

function writeObject(session, value, depth) {
  if (types.isProxy(value)) return put(session, "[Proxy]");
  if (session.open.includes(value)) return put(session, "[Circular]");
  if (depth >= MAX_DEPTH) return put(session, Array.isArray(value) ? "[Array]" : "[Object]");
  session.open.push(value);
  writeKind(session, value, depth + 1);
  session.open.pop();
}

function writeKind(session, value, depth) {
  if (Array.isArray(value)) return writeArray(session, value, depth);
  const name = constructorName(value);
  if (types.isMap(value)) return writeCollection(session, name, mapEntries(value), depth);
  if (types.isSet(value)) return writeCollection(session, name, setItems(value), depth);
  if (types.isNativeError(value)) return writeError(session, value, name, depth);
  if (types.isDate(value)) return put(session, dateText(value));
  if (types.isRegExp(value)) return put(session, regExpText(value));
  if (types.isTypedArray(value)) return writeCollection(session, name, typedItems(value, session.maxChars), depth);
  if (types.isBoxedPrimitive(value)) return put(session, `[${name}]`);
  if (types.isPromise(value)) return put(session, "Promise {}");
  if (types.isGeneratorObject(value)) return put(session, "[Generator]");
  if (name === null) put(session, "[Object: null prototype] ");
  else if (name !== "Object") put(session, `${name} `);
  put(session, "{");
  writeProperties(session, value, depth, false, () => true);
  return put(session, "}");
}

function writeArray(session, value, depth) {
  const name = constructorName(value);
  if (name !== "Array" && name !== null) put(session, `${name} `);
  put(session, "[");
  let isFirst = true;
  let holes = 0;
  const flush = () => {
    if (holes) put(session, `${isFirst ? "" : ", "}<${holes} empty item${holes > 1 ? "s" : ""}>`);
    isFirst = isFirst && !holes;
    holes = 0;
  };
  for (let index = 0; index < value.length; index++) {
    const property = Object.getOwnPropertyDescriptor(value, index);
    if (property === undefined) {
      holes++;
      if (holes > 100000) break;
      continue;
    }
    flush();
    if (!isFirst) put(session, ", ");
    isFirst = false;
    writeProperty(session, property, depth);
  }
  flush();
  writeProperties(session, value, depth, !isFirst, (key) => !(typeof key === "string" && INDEX.test(key)));
  put(session, "]");
}

function writeProperties(session, value, depth, hasItems, isShown) {
  let isFirst = !hasItems;
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property === undefined || !property.enumerable || !isShown(key)) continue;
    if (!isFirst) put(session, ", ");
    isFirst = false;
    put(session, `${keyText(key)}: `);
    writeProperty(session, property, depth);
  }
}

/** A property's value; a getter is not called. */
function writeProperty(session, property, depth) {
  if ("value" in property) return write(session, property.value, depth);
  return put(session, property.get ? "[Getter]" : "[Setter]");
}

function writeCollection(session, name, items, depth) {
  put(session, `new ${name ?? "Object"}(`);
  if (items.length) {
    put(session, "[");
    for (let index = 0; index < items.length; index++) {
      if (index) put(session, ", ");
      write(session, items[index], depth);
    }
    put(session, "]");
  }
  put(session, ")");
}

function writeError(session, value, name, depth) {
  const message = Object.getOwnPropertyDescriptor(value, "message");
  const text = message && typeof message.value === "string" ? stringText(message.value) : "";
  put(session, `new ${name ?? "Error"}(${text})`);
  const extra = Reflect.ownKeys(value).filter((key) => Object.getOwnPropertyDescriptor(value, key)?.enumerable);
  if (!extra.length) return;
  put(session, " {");
  writeProperties(session, value, depth, false, () => true);
  put(session, "}");
}

const mapForEach = Map.prototype.forEach;
const setForEach = Set.prototype.forEach;

function mapEntries(value) {
  const entries = [];
  mapForEach.call(value, (item, key) => entries.push([key, item]));
  return entries;
}

function setItems(value) {
  const items = [];
  setForEach.call(value, (item) => items.push(item));
  return items;
}

function typedItems(value, maxItems) {
  const items = [];
  const length = Math.min(Reflect.get(Object.getPrototypeOf(Uint8Array.prototype), "length", value) ?? 0, maxItems);
  for (let index = 0; index < length; index++) items.push(value[index]);
  return items;
}

/** The name of a value's class, from the first prototype that has one; null without a prototype. */
export function constructorName(value) {
  for (let each = value; each !== null && !types.isProxy(each); each = Object.getPrototypeOf(each)) {
    const property = Object.getOwnPropertyDescriptor(each, "constructor");
    if (property && typeof property.value === "function") {
      const name = Object.getOwnPropertyDescriptor(property.value, "name");
      if (name && typeof name.value === "string" && name.value !== "") return name.value;
    }
  }
  return null;
}

function functionText(value) {
  if (types.isProxy(value)) return "[Proxy]";
  const property = Object.getOwnPropertyDescriptor(value, "name");
  const name = property && typeof property.value === "string" ? property.value : "";
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  if (isClass) return name ? `[class ${name}]` : "[class (anonymous)]";
  return name ? `[Function: ${name}]` : "[Function (anonymous)]";
}

function dateText(value) {
  const time = Date.prototype.getTime.call(value);
  return Number.isNaN(time) ? "new Date(NaN)" : `new Date('${new Date(time).toISOString()}')`;
}

function regExpText(value) {
  return RegExp.prototype.toString.call(value);
}

function symbolText(value) {
  return Symbol.prototype.toString.call(value);
}

function keyText(key) {
  if (typeof key === "symbol") return `[${symbolText(key)}]`;
  return IDENTIFIER.test(key) || INDEX.test(key) ? key : stringText(key);
}

/** A string literal: in single quotes, or in double quotes if it contains only single ones. */
export function stringText(value) {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const escaped = value.replace(ESCAPED, (char) => {
    if (char === "\\") return "\\\\";
    if (SHORT[char]) return SHORT[char];
    const code = char.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

/** The class and message of what was thrown, in one line. */
export function thrownDetail(value) {
  if (types.isNativeError(value)) {
    const message = Object.getOwnPropertyDescriptor(value, "message");
    const name = constructorName(value) ?? "Error";
    const text = message && typeof message.value === "string" ? message.value : "";
    return text ? `${name}: ${text}` : name;
  }
  return render(value, 1000);
}
