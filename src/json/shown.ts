/** Names that others chose are cut to this length in messages and paths. */
const SHOWN_NAME = 64;
/** So long may a path be: 64 names of 64 characters, as deep as JSON may be, would be more than anybody reads. */
const SHOWN_PATH = 300;

/** The beginning of a text, and a sign that there was more. */
export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…`.toWellFormed() : text;

/** The words of a stranger, on one line and in quotes: what is around them cannot be taken for theirs, nor theirs for it. */
export const quoted = (text: string, length = Number.POSITIVE_INFINITY): string => JSON.stringify(cut(text, length));

/** A name fit for messages and logs: at most 64 characters of it, and none that controls anything. */
export const shown = (name: string): string => JSON.stringify(cut(name, SHOWN_NAME).toWellFormed()).slice(1, -1);

/** A path fit for messages: its steps, each as `shown`, separated by dots; 300 characters at most. */
export const shownPath = (steps: readonly PropertyKey[]): string =>
  cut(steps.map((step) => shown(String(step))).join('.'), SHOWN_PATH);
