/** Parses a body as Stripe's SDK sends it: `a[b][0]=c` is `{ a: { b: { 0: 'c' } } }`; lists stay objects by index. */
export interface Form {
  [name: string]: string | Form;
}

export function formOf(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...inner] = name.split(/\]?\[|\]$/).filter((part, index) => index === 0 || part !== '');
    const path = [first, ...inner];
    let place = form;
    for (const part of path.slice(0, -1)) place = (place[part] ??= {}) as Form;
    place[path.at(-1) ?? ''] = value;
  }
  return form;
}

export const formIn = (value: string | Form | undefined): Form => (typeof value === 'object' ? value : {});
export const listIn = (value: string | Form | undefined): Form[] => Object.values(formIn(value)).map(formIn);
export const textIn = (value: string | Form | undefined): string | null => (typeof value === 'string' ? value : null);
export const numberIn = (value: string | Form | undefined): number => Number(textIn(value) ?? 0);
