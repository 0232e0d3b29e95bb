import { readFile } from 'node:fs/promises';
import { agentsText, llmsText } from './agent-texts.ts';
import { keptPage } from './kept-page.ts';
import type { PathOfPage } from './page.ts';

const ASKED_FOR = 'public, max-age=0';
const MARKDOWN = 'text/markdown; charset=utf-8';

/** The pages of docs/ for users of the API, as /docs lists them. Those about the code itself are not sent. */
export const markdownPages = {
  api: 'calling the API',
  accounts: 'accounts and keys',
  concepts: 'the idea',
  glossary: 'the words',
  mcp: 'Model Context Protocol',
  sdk: 'the SDK',
  cli: 'the command line',
  clients: 'generated clients',
  billing: 'money',
  credentials: 'keys for model providers',
  'sign-in': 'signing in',
  people: 'what a person decides',
  dashboard: 'the dashboard',
  'sealed-skills': 'sealed skills',
  sandbox: 'the sandbox',
  signals: 'completing from Temporal',
  passports: 'passports',
  claims: 'claims',
  'claim-types': 'types of claims',
  'offline-verification': 'verifying offline',
  notifications: 'notifications',
  events: 'events',
  'receiving-webhooks': 'receiving webhooks',
  inbound: 'inbound webhooks',
  scanning: 'scanning',
  outbound: 'outbound calls',
  operations: 'operations and error codes',
} as const;

/** A link to a file that is not sent becomes its text; headings and whole addresses stay. */
const LINK = /!?\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)/g;
const SCRIPT = 'verify-claim.py';

const withoutDeadLinks = (text: string): string =>
  text.replaceAll(LINK, (whole: string, words: string, target: string) =>
    target === '' || target.includes('://') || target === SCRIPT || target.replace(/\.md$/, '') in markdownPages
      ? whole
      : words,
  );

const docsFile = (name: string): Promise<string> => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

/** The texts for agents, and documents as Markdown: below paths that stand here, so an address never becomes the name of a file. */
export function markdownOf(publicBaseUrl: string): PathOfPage[] {
  const text = (path: string, type: string, load: () => Promise<string>): PathOfPage => [
    path,
    keptPage({ operation: 'docs', type, cacheControl: ASKED_FOR, load: async () => Buffer.from(await load()) }),
  ];
  return [
    text('/llms.txt', 'text/plain; charset=utf-8', () => Promise.resolve(llmsText(publicBaseUrl, markdownPages))),
    text('/AGENTS.md', MARKDOWN, () => Promise.resolve(agentsText(publicBaseUrl))),
    ...Object.keys(markdownPages).map((name) =>
      text(`/docs/${name}.md`, MARKDOWN, async () => withoutDeadLinks(await docsFile(`${name}.md`))),
    ),
    text(`/docs/${SCRIPT}`, 'text/plain; charset=utf-8', () => docsFile(SCRIPT)),
  ];
}
