import { html, type Html } from '../http/pages/html.ts';

/** The first page, which all others lead back to. */
export const HOME = '/dashboard';

/** A section of the navigation, and its pages. */
interface Section {
  title: string;
  /** For the people of the platform alone. */
  platform?: true;
  /** It is unfolded on every page; the others are on their own. */
  open?: true;
  pages: readonly { path: string; text: string; administrators?: true }[];
}

/** All that the navigation leads to. Each domain has its pages beside its routes; this is the one list of where they are. */
export const sections: readonly Section[] = [
  {
    title: 'Decide',
    open: true,
    pages: [
      { path: `${HOME}/approvals`, text: 'Approvals' },
      { path: `${HOME}/reviews`, text: 'Reviews' },
    ],
  },
  {
    title: 'Agents',
    pages: [
      { path: `${HOME}/agents`, text: 'Agents' },
      { path: `${HOME}/passports`, text: 'Passports' },
      { path: `${HOME}/connections`, text: 'Connections' },
      { path: `${HOME}/missions`, text: 'Missions' },
      { path: `${HOME}/grants`, text: 'Grants' },
      { path: `${HOME}/bindings`, text: 'Bindings' },
      { path: `${HOME}/identity-claims`, text: 'Identity claims' },
    ],
  },
  {
    title: 'Work',
    open: true,
    pages: [
      { path: `${HOME}/market`, text: 'Market' },
      { path: `${HOME}/skills`, text: 'Your skills' },
      { path: `${HOME}/invocations`, text: 'Invocations' },
      { path: `${HOME}/requests`, text: 'Requests' },
    ],
  },
  {
    title: 'Money',
    pages: [
      { path: `${HOME}/wallet`, text: 'Wallet' },
      { path: `${HOME}/transactions`, text: 'Transactions' },
      { path: `${HOME}/earnings`, text: 'Earnings' },
    ],
  },
  {
    title: 'Evidence',
    pages: [
      { path: `${HOME}/claims`, text: 'Claims' },
      { path: `${HOME}/log`, text: 'Log' },
    ],
  },
  {
    title: 'Events',
    pages: [
      { path: `${HOME}/destinations`, text: 'Notifications', administrators: true },
      { path: `${HOME}/rules`, text: 'Rules', administrators: true },
      { path: `${HOME}/deliveries`, text: 'Deliveries', administrators: true },
      { path: `${HOME}/events`, text: 'Events' },
      { path: `${HOME}/inbound`, text: 'Inbound' },
      { path: `${HOME}/held`, text: 'Held' },
    ],
  },
  {
    title: 'Settings',
    pages: [
      { path: `${HOME}/operator`, text: 'Operator' },
      { path: `${HOME}/members`, text: 'Members', administrators: true },
      { path: `${HOME}/keys`, text: 'Keys', administrators: true },
      { path: `${HOME}/partners`, text: 'Partners', administrators: true },
      { path: `${HOME}/credentials`, text: 'Model credentials', administrators: true },
      { path: `${HOME}/sessions`, text: 'Sessions' },
      { path: `${HOME}/mails`, text: 'Mails to you' },
      { path: `${HOME}/audit`, text: 'Audit', administrators: true },
    ],
  },
  {
    title: 'Platform',
    platform: true,
    pages: [
      { path: `${HOME}/skill-reviews`, text: 'Skill reviews' },
      { path: `${HOME}/operators`, text: 'Operators' },
      { path: `${HOME}/cases`, text: 'Money to look at' },
      { path: `${HOME}/overseen`, text: 'Look up' },
      { path: `${HOME}/outbox`, text: 'Outbox' },
      { path: `${HOME}/signing-keys`, text: 'Signing keys' },
    ],
  },
];

/** The page of each kind of id that has one. */
const pagesOfIds: Readonly<Record<string, string>> = {
  ag: 'agents',
  apr: 'approvals',
  bnd: 'bindings',
  chko: 'reviews',
  chn: 'rules',
  con: 'connections',
  dlv: 'deliveries',
  dst: 'destinations',
  evt: 'events',
  iev: 'inbound-events',
  inv: 'invocations',
  inw: 'inbound',
  key: 'keys',
  mem: 'members',
  ms: 'missions',
  pgr: 'partners',
  pc: 'claims',
  psp: 'passports',
  rqt: 'requests',
  skl: 'skills',
  txn: 'transactions',
};

const ID = /^([a-z]{2,5})_\w{1,64}$/;

/** The page of a thing; undefined: its kind has none, or it is no id. */
export function pageOfId(id: string): string | undefined {
  const [, prefix = ''] = ID.exec(id) ?? [];
  const page = Object.hasOwn(pagesOfIds, prefix) ? pagesOfIds[prefix] : undefined;
  return page === undefined ? undefined : `${HOME}/${page}/${id}`;
}

/** An id, as a link to its page where there is one. */
export function idLink(id: string): Html {
  const page = pageOfId(id);
  return page === undefined ? html`<code>${id}</code>` : html`<a href="${page}"><code>${id}</code></a>`;
}

/** A name, as a link to the page of its id. */
export function named(name: string, id: string): Html {
  const page = pageOfId(id);
  return page === undefined ? html`${name}` : html`<a href="${page}">${name}</a>`;
}
