import { readFile } from 'node:fs/promises';
import type { NamedPage } from './page.ts';

/** Where people enter the code of their mail, until the console exists. Opening it does nothing: it signs in by POST. */
export const signInPages = (): [string, NamedPage][] => [
  ['/dashboard/sign-in', asset('text/html; charset=utf-8', 'sign-in.html')],
  ['/dashboard/sign-in.js', asset('text/javascript; charset=utf-8', 'sign-in.js')],
];

function asset(type: string, name: string): NamedPage {
  let content: Promise<Buffer> | undefined;
  return {
    operation: 'signInPage',
    page: async () => ({
      status: 200,
      type,
      body: await (content ??= readFile(new URL(name, import.meta.url))),
      cacheControl: 'public, max-age=300',
    }),
  };
}
