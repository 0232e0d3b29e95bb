import { html, type Html } from '../http/pages/html.ts';

/** As browsers have a moment of a field that names no zone. */
const LOCAL = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/;

/** A moment is chosen; what was typed otherwise, with a zone say, stays as it is. */
export function timeInput(named: Html, text: string): Html {
  const local = text.replace(/Z$/, '');
  return local === '' || LOCAL.test(local)
    ? html`<input ${named} type="datetime-local" step="any" value="${local}"`
    : html`<input ${named} value="${text}"`;
}

/** The seconds are added where a browser leaves them out. */
export const momentTyped = (text: string): string => {
  if (!LOCAL.test(text)) return text;
  return `${text.length === 16 ? `${text}:00` : text}Z`;
};
