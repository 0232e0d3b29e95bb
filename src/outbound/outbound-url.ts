import { isIP } from 'node:net';
import { kindOf } from './addresses.ts';

/** The rule that an address of a user breaks, with the sentence for that user. */
export const rules = {
  length: 'The URL has more than 2,048 characters.',
  url: 'This is not a URL of the form https://host/path without blanks, control characters and backslashes.',
  scheme: 'The URL must begin with https://.',
  credentials: 'The URL must not have a user or a password in front of the host.',
  fragment: 'The URL must not have a fragment (#…): it would not be sent.',
  host: 'The host must be a name of letters, digits, hyphens and underscores, with 63 characters between two dots and 253 in all at most, and no dot at the end.',
  private_name:
    'The host must be a name on the internet: names of one part and names that end with .local, .internal and the like are not.',
  own_host: 'The URL leads to this service itself.',
  port: 'The port must be 443 or 8443.',
  address: 'The host must lead to public addresses alone: private, local and reserved ones are refused.',
  too_many_addresses: 'The host has more than 32 addresses.',
} as const satisfies Record<string, string>;

export type Rule = keyof typeof rules;

/** The address is refused, and nothing was sent to it. */
export interface Refused {
  outcome: 'refused';
  rule: Rule;
  /** For the user who chose the address; names no address that DNS gave. */
  sentence: string;
}

export const refused = (rule: Rule): Refused => ({ outcome: 'refused', rule, sentence: rules[rule] });

/** The addresses of users are held against this. */
export interface Policy {
  /** Local trials: loopback addresses pass, over http and at any port too. */
  allowLoopback: boolean;
  /** Where clients reach this service itself, which may not be called. */
  publicBaseUrl: string;
}

/** A URL that keeps every rule that needs no DNS. */
export interface OutboundUrl {
  outcome: 'parsed';
  /** As WHATWG writes it: two spellings of one address are equal. */
  href: string;
  origin: string;
  /** Path and query. */
  path: string;
  /** Lower case, no brackets around IPv6. */
  hostname: string;
  port: number;
  tls: boolean;
  /** The rule that it breaks unless all addresses are loopback ones; null where it may lead anywhere. */
  unlessLoopback: Rule | null;
}

/** Ports on which receivers of https listen; others are those of databases, mail servers and administration. */
const PORTS: ReadonlySet<number> = new Set([443, 8443]);
/** Longer URLs are refused by proxies and servers anyway. */
const MAX_LENGTH = 2_048;
/**
 * Names that are not on the internet: of RFC 6761, 6762 (with the private ones of its appendix G), 7686, 8375, 9476, of ICANN
 * (`internal`), and what Linux calls itself.
 */
const PRIVATE_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'onion',
  'alt',
  'test',
  'invalid',
];
/** Blanks, control and format characters, halves of surrogate pairs; URL leaves some of them out without a word. */
const STRANGE_CHARACTER = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** Parses what a user gives as the address of a receiver. Nothing is looked up. */
export function parseOutboundUrl(text: string, policy: Policy): OutboundUrl | Refused {
  if (text.length > MAX_LENGTH) return refused('length');
  const url = STRANGE_CHARACTER.test(text) ? null : URL.parse(text);
  if (url === null) return refused('url');
  const tls = url.protocol === 'https:';
  if (!tls && !(policy.allowLoopback && url.protocol === 'http:')) return refused('scheme');
  // URL reads https:host, https:/host and https:///host as https://host; other programs read a path.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) return refused('url');
  if (authority.includes('@')) return refused('credentials');
  if (text.includes('#')) return refused('fragment');
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port);
  const broken = brokenByHost(hostname, policy);
  if (broken !== null) return refused(broken);
  const unlessLoopback = brokenUnlessLoopback(tls, port);
  if (port === 0 || (unlessLoopback !== null && !policy.allowLoopback)) return refused(unlessLoopback ?? 'port');
  const parsed: OutboundUrl = {
    outcome: 'parsed',
    href: url.href,
    origin: url.origin,
    path: url.pathname + url.search,
    hostname,
    port,
    tls,
    unlessLoopback,
  };
  const literal = isIP(hostname) === 0 ? null : brokenByAddresses(parsed, [hostname], policy);
  return literal === null ? parsed : refused(literal);
}

const brokenUnlessLoopback = (tls: boolean, port: number): Rule | null => {
  if (!tls) return 'scheme';
  return PORTS.has(port) ? null : 'port';
};

function brokenByHost(hostname: string, { allowLoopback, publicBaseUrl }: Policy): Rule | null {
  if (isIP(hostname) === 0) {
    const labels = hostname.split('.');
    if (hostname.length > 253 || labels.some((label) => !LABEL.test(label))) return 'host';
    if (isLocalhost(hostname)) return allowLoopback ? null : 'private_name';
    if (labels.length === 1 || PRIVATE_SUFFIXES.some((suffix) => hostname.endsWith(`.${suffix}`)))
      return 'private_name';
  }
  const own = ownPlace(publicBaseUrl);
  return !own.loopback && own.hostname === hostname ? 'own_host' : null;
}

/** RFC 6761: such a name is the machine itself, no matter what DNS says. */
export const isLocalhost = (hostname: string): boolean => hostname === 'localhost' || hostname.endsWith('.localhost');

/**
 * The rule that these addresses of the URL break, all of them together: one private address beside a public one refuses the name.
 * @param addresses at least one
 */
export function brokenByAddresses(url: OutboundUrl, addresses: readonly string[], policy: Policy): Rule | null {
  const kinds = new Set(addresses.map(kindOf));
  const [kind = 'special'] = kinds;
  if (kinds.size !== 1 || kind === 'special') return 'address';
  if (kind === 'global') return url.unlessLoopback;
  if (!policy.allowLoopback) return 'address';
  const own = ownPlace(policy.publicBaseUrl);
  return own.loopback && own.port === url.port ? 'own_host' : null;
}

/** On a loopback address other programs listen too, so there the port tells which is this service. */
function ownPlace(publicBaseUrl: string): { hostname: string; port: number; loopback: boolean } {
  const url = new URL(publicBaseUrl);
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const standard = url.protocol === 'https:' ? 443 : 80;
  return {
    hostname,
    port: url.port === '' ? standard : Number(url.port),
    loopback: isLocalhost(hostname) || (isIP(hostname) !== 0 && kindOf(hostname) === 'loopback'),
  };
}
