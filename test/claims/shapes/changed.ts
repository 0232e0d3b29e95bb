import type { Members } from './shape.ts';

/** A copy in which `path` is `value`, or is missing where the value is undefined. */
export function changed(payload: Members, path: string, value: unknown): Members {
  const copy = structuredClone(payload);
  const names = path.split('.');
  const last = names.pop() ?? '';
  let at: Members = copy;
  for (const name of names) {
    const inner = at[name];
    at = (typeof inner === 'object' && inner !== null ? inner : (at[name] = {})) as Members;
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}
