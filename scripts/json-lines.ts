/**
 * The text of a generated JSON file that a person reads as a diff: objects and lists are opened, one line for each entry, down to `depth`;
 * what lies deeper stands in one line. Keys keep the order of `value`. It ends with a newline.
 */
export const jsonLines = (value: unknown, depth: number): string => `${opened(value, depth, '\n')}\n`;

/** `line` begins a line of what holds the value: a newline and its indent. */
function opened(value: unknown, depth: number, line: string): string {
  if (depth === 0 || typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return JSON.stringify(value);
  const deeper = `${line} `;
  if (Array.isArray(value))
    return `[${value.map((entry) => deeper + opened(entry, depth - 1, deeper)).join(',')}${line}]`;
  const entries = Object.entries(value).flatMap(([key, entry]) =>
    entry === undefined ? [] : [`${deeper}${JSON.stringify(key)}: ${opened(entry, depth - 1, deeper)}`],
  );
  return `{${entries.join(',')}${line}}`;
}
