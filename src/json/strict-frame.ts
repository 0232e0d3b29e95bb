import { shown } from './strict-fault.ts';

/** Up to here a linear look through an object's names is cheaper than a Set. */
const NAMES_WITHOUT_SET = 12;

/** An open object or array. */
export interface Frame {
  parent: Frame | undefined;
  /** Of the current element; -1 in an object. */
  index: number;
  /** Where its names begin among those of all open objects. */
  base: number;
  /** The names of an object that has many. */
  set: Set<string> | undefined;
}

/** Whether the object has had this name; remembers it where a Set is kept. `names` are those of all open objects. */
export function isKnown(frame: Frame, { names, name }: { names: string[]; name: string }): boolean {
  if (names.length - frame.base < NAMES_WITHOUT_SET) {
    for (let index = frame.base; index < names.length; index += 1) if (names[index] === name) return true;
    return false;
  }
  frame.set ??= new Set(names.slice(frame.base));
  return frame.set.size === frame.set.add(name).size;
}

/** Dotted from the root: the last name of every open object, the index of every open array. */
export function pathOf(innermost: Frame | undefined, names: string[]): string {
  const steps = [];
  let end = names.length;
  for (let frame = innermost; frame; frame = frame.parent) {
    const name = end > frame.base ? names[end - 1] : undefined;
    if (frame.index !== -1) steps.unshift(String(frame.index));
    else if (name !== undefined) steps.unshift(shown(name));
    end = frame.base;
  }
  return steps.join('.');
}
