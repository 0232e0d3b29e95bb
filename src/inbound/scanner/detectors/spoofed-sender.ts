import { foldText } from '../text/characters.ts';
import type { Detection, Detector, Scene } from './scene.ts';

/** Names that are imitated most, and the domains that they really write from; the part before the ending counts. */
const brands: Readonly<Record<string, readonly string[]>> = {
  paypal: ['paypal'],
  microsoft: ['microsoft', 'microsoftonline', 'office', 'outlook'],
  apple: ['apple', 'icloud'],
  amazon: ['amazon', 'amazonaws', 'amazonses'],
  google: ['google', 'gmail', 'googlemail', 'youtube'],
  netflix: ['netflix'],
  docusign: ['docusign'],
  dhl: ['dhl'],
  fedex: ['fedex'],
  facebook: ['facebook', 'facebookmail', 'meta'],
  instagram: ['instagram', 'facebookmail'],
  linkedin: ['linkedin'],
  stripe: ['stripe'],
  github: ['github'],
  coinbase: ['coinbase'],
  binance: ['binance'],
  openai: ['openai'],
  anthropic: ['anthropic'],
  revolut: ['revolut'],
  dropbox: ['dropbox', 'dropboxmail'],
};

const ADDRESS = /([^\s<>"@]{1,64})@([^\s<>"@,;]{1,253})/;

/** The name of the sender says somebody else than the address does. */
export const spoofedSender: Detector = (scene) => {
  const reason = scene.sender && reasonOf(scene.sender);
  if (reason === undefined) return [];
  return [
    { detector_key: 'spoofed_sender', severity: 'medium', ...placeOfSender(scene, scene.sender?.place ?? ''), reason },
  ];
};

function reasonOf({ from, replyTo }: NonNullable<Scene['sender']>): string | undefined {
  const open = from.lastIndexOf('<');
  const name = open > 0 ? from.slice(0, open) : '';
  const domain = (ADDRESS.exec(open >= 0 ? from.slice(open) : from)?.[2] ?? '').toLowerCase().replace(/>$/, '');
  if (domain === '') return undefined;
  const inName = ADDRESS.exec(name)?.[2]?.toLowerCase();
  if (inName !== undefined && organisation(inName) !== organisation(domain))
    return 'The name of the sender holds an address of another domain than the one it was sent from.';
  if (/(?:^|\.)xn--/.test(domain) || foldText(domain) !== domain)
    return 'The domain of the sender is written with letters that look like others.';
  const folded = foldText(name);
  for (const [brand, domains] of Object.entries(brands))
    if (new RegExp(`\\b${brand}\\b`).test(folded) && !domains.includes(organisation(domain)))
      return 'The name of the sender is that of a company whose domain it was not sent from.';
  const own = organisation(domain);
  for (const brand of Object.keys(brands))
    if (own !== brand && own.replaceAll('1', 'l').replaceAll('0', 'o').replaceAll('rn', 'm') === brand)
      return 'The domain of the sender differs by one letter from that of a company.';
  const answer = (ADDRESS.exec(replyTo)?.[2] ?? '').toLowerCase().replace(/>$/, '');
  if (
    answer !== '' &&
    organisation(answer) !== own &&
    /^(?:gmail|outlook|hotmail|yahoo|proton|protonmail|gmx|mail|aol|icloud)$/.test(organisation(answer))
  )
    return 'Answers go to a mailbox that anybody can have, and not to the domain of the sender.';
  return undefined;
}

/** The part of a domain before its ending: `example` of `mail.example.co.uk`. */
function organisation(domain: string): string {
  const parts = domain.split('.');
  const isLong = /^(?:co|com|org|net|ac|gov)$/.test(parts.at(-2) ?? '') && (parts.at(-1)?.length ?? 0) === 2;
  return parts.at(isLong ? -3 : -2) ?? domain;
}

function placeOfSender({ text }: Scene, named: string): Pick<Detection, 'start' | 'end'> {
  const field = text.fields.findIndex(({ place }) => place === named || place.startsWith(`${named}/`));
  if (field < 0) return { start: 0, end: 0 };
  const base = text.bases[field] ?? 0;
  const to = base + (text.fields[field]?.text.length ?? 0);
  const start = text.from.findIndex((at) => at >= base && at < to);
  if (start < 0) return { start: 0, end: 0 };
  const length = text.from.subarray(start).findIndex((at) => at < base || at >= to);
  return { start, end: length < 0 ? text.length : start + length };
}
