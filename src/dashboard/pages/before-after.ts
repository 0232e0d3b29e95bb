import { z } from 'zod';
import { readable } from '../../console/readable.ts';
import { jsonObject } from '../../fields/objects.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';

const nothing = html``;

const objectIn = (value: unknown): JsonObject | null => jsonObject.safeParse(value).data ?? null;

/** The object of the subject that a change is about: the subject itself, or the one in it that has most of the members that change. */
function changedObject(subject: JsonObject, body: JsonObject): JsonObject | null {
  const known = (object: JsonObject): number => Object.keys(body).filter((name) => Object.hasOwn(object, name)).length;
  const within = Object.values(subject).map(objectIn);
  const [best] = [subject, ...within.filter((object) => object !== null)]
    .map((object) => ({ object, count: known(object) }))
    .toSorted((one, other) => other.count - one.count);
  return best === undefined || best.count === 0 ? null : best.object;
}

const isSame = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const side = (title: string, value: JsonObject): Html =>
  html`<section><h3>${title}</h3><pre class="wrapped" tabindex="0"><code>${readable(value)}</code></pre></section>\n`;

const Changing = z.enum(['PATCH', 'PUT']);

/** Where a request changes something that exists: the members that it names as they were, and as they would be, beside each other. */
export function beforeAfter({ method, body, subject }: { method: string; body?: unknown; subject?: unknown }): Html {
  const asked = objectIn(body);
  const about = objectIn(subject);
  if (!Changing.safeParse(method).success || asked === null || about === null) return nothing;
  const before = changedObject(about, asked);
  if (before === null) return nothing;
  const names = Object.keys(asked);
  const changed = names.filter((name) => !isSame(before[name], asked[name]));
  const same = names.length - changed.length;
  if (changed.length === 0) return html`<p class="muted">It changes no value: all that it names is so already.</p>\n`;
  const picked = (from: JsonObject): JsonObject =>
    Object.fromEntries(changed.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
  return html`<div class="before-after" role="group" aria-label="The change">
${side('As it was then', picked(before))}${side('As it would be', picked(asked))}</div>
${same === 0 ? nothing : html`<p class="muted">${same === 1 ? 'One more value that it names stays' : `${same} more values that it names stay`} as it was.</p>\n`}`;
}
