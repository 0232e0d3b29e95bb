import { html, type Html } from '../http/pages/html.ts';
import type { JsonObject } from '../json/value.ts';
import { fieldsOf, written, type FormOptions, type Typed } from './form.ts';

interface Folded {
  /** The properties whose fields are folded. */
  only: readonly string[];
  options: FormOptions;
  /** The values of the fields before anything is typed. */
  values?: JsonObject;
  entered: Typed | undefined;
}

const isOf = (only: readonly string[], path: string): boolean =>
  only.some((name) => path === name || path.startsWith(`${name}.`));

/** Whether somebody who looks for what they typed, or for what is wrong with it, finds it among these fields. */
function isToBeSeen({ only, values = {}, entered }: Folded): boolean {
  if (entered === undefined) return false;
  const first = (name: string): string =>
    Object.hasOwn(values, name) && values[name] !== undefined ? written(values[name]) : '';
  return (
    (entered.refusal?.errors ?? []).some(({ path }) => isOf(only, path)) ||
    Object.entries(entered.form).some(
      ([name, text]) => isOf(only, name) && [text].flat().some((one) => one.trim() !== '' && one !== first(name)),
    )
  );
}

/** Fields that most do without: folded, until something is typed there or a fault is among them. */
export const folded = (title: string, schema: JsonObject, fields: Folded): Html =>
  html`<details class="card"${isToBeSeen(fields) ? html` open` : html``}><summary>${title}</summary>
${fieldsOf(schema, { ...fields.options, only: fields.only }, { ...(fields.values !== undefined && { values: fields.values }), entered: fields.entered })}</details>
`;
