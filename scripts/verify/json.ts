import canonicalize from 'canonicalize';
import { Fault, must } from './fault.ts';

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** Deeper than any claim: a document of `[[1]]` has depth 2. */
const MAX_DEPTH = 200;

/**
 * JSON that every reader understands in the same way: a name that stands twice in one object is refused, since of two values
 * one program reads the first and another the last. So is half of a surrogate pair, which has no UTF-8 and so no hash, and a
 * number that is not the one it is written as: canonical JSON would write another, and its hash would be that of other data.
 * @throws Fault
 */
export function parseJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new Fault(`it is not JSON: ${String(error)}`);
  }
  refuseAmbiguous(text);
  return value;
}

/** Looks at texts, brackets and numbers alone; the text was parsed before, so a string that a colon follows is a name. */
function refuseAmbiguous(text: string): void {
  const open: (Set<string> | null)[] = [];
  const colon = /\s*:/y;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]|[-\d][-+.\dEe]*/g)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null);
    else if (token === '}' || token === ']') open.pop();
    else if (!token.startsWith('"')) refuseLargeNumber(token);
    else {
      const string = JSON.parse(token) as string;
      must(string.isWellFormed(), 'a text holds half of a surrogate pair');
      const names = open.at(-1);
      colon.lastIndex = index + token.length;
      if (names === null || names === undefined || !colon.test(text)) continue;
      must(!names.has(string), `the member ${JSON.stringify(string)} stands twice in one object`);
      names.add(string);
    }
    must(open.length <= MAX_DEPTH, `it is nested more than ${MAX_DEPTH} deep`);
  }
}

/**
 * From 2^53 on a number stands for many whole ones. None of them is written in digits; one of 1e21 and more, which canonical JSON writes with
 * an exponent, is taken in exactly that spelling.
 */
function refuseLargeNumber(token: string): void {
  const value = Number(token);
  const isExact = Math.abs(value) <= Number.MAX_SAFE_INTEGER || (token.includes('e') && token === String(value));
  must(isExact, `the number ${token} is past 2^53, where it cannot be told from others`);
}

/** The one way of writing a value that RFC 8785 (JCS) allows. */
export const canonicalJson = (value: JsonValue): string => canonicalize(value) ?? '';

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object whose members are read with their types. `path` names it in messages. */
export interface Members {
  text(name: string): string;
  textOrNull(name: string): string | null;
  /** An integer of 0 or more. */
  count(name: string): number;
  flag(name: string): boolean;
  object(name: string): JsonObject;
  members(name: string): Members;
  texts(name: string): string[];
  eachOf(name: string): Members[];
  has(name: string): boolean;
  /** @throws Fault where it has other members than these, or lacks one */
  only(...names: string[]): void;
  value(name: string): JsonValue;
}

/** @throws Fault where it is no object; its functions where the member is missing or of another type */
export function membersOf(value: JsonValue, path: string): Members {
  must(isObject(value), `${path} is not an object`);
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const get = (name: string): JsonValue => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    must(member !== undefined, `${at(name)} is missing`);
    return member;
  };
  const list = (name: string): JsonValue[] => {
    const member = get(name);
    must(Array.isArray(member), `${at(name)} is not a list`);
    return member;
  };
  const text = (member: JsonValue, where: string): string => {
    must(typeof member === 'string', `${where} is not a text`);
    return member;
  };
  return {
    text: (name) => text(get(name), at(name)),
    textOrNull: (name) => (get(name) === null ? null : text(get(name), at(name))),
    count: (name) => {
      const member = get(name);
      must(typeof member === 'number' && Number.isSafeInteger(member) && member >= 0, `${at(name)} is not a count`);
      return member;
    },
    flag: (name) => {
      const member = get(name);
      must(typeof member === 'boolean', `${at(name)} is neither true nor false`);
      return member;
    },
    object: (name) => {
      const member = get(name);
      must(isObject(member), `${at(name)} is not an object`);
      return member;
    },
    members: (name) => membersOf(get(name), at(name)),
    texts: (name) => list(name).map((member, index) => text(member, `${at(name)}.${index}`)),
    eachOf: (name) => list(name).map((member, index) => membersOf(member, `${at(name)}.${index}`)),
    has: (name) => Object.hasOwn(value, name),
    only: (...names) => {
      // `Set.symmetricDifference` is not in Node 20, on which the command line is used too.
      const has = Object.keys(value);
      const odd = [...names.filter((name) => !has.includes(name)), ...has.filter((name) => !names.includes(name))];
      must(odd.length === 0, `${path} has, or lacks, ${odd.join(', ')}`);
    },
    value: get,
  };
}
