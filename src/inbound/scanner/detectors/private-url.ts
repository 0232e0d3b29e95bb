import type { Detection, Detector } from './scene.ts';

const MAX_FOUND = 20;
const LINK = /\b(?:https?|ftp|gopher|file|ws|wss):\/{1,3}[^\s<>"'`)]{1,300}/gi;
const PRIVATE_NAME =
  /(?:^|\.)(?:localhost|local|internal|intranet|lan|corp|home\.arpa|localdomain)\.?$|^metadata\.google\.internal\.?$/i;

/** A link that leads into the network of a reader who follows it. */
export const privateUrl: Detector = ({ shown }) => {
  const found: Detection[] = [];
  for (const { index, 0: link } of shown.matchAll(LINK)) {
    if (!isPrivate(link)) continue;
    found.push({
      detector_key: 'private_url',
      severity: 'medium',
      start: index,
      end: index + link.length,
      reason: 'A link leads to an address inside of a private network, or to this machine.',
    });
    if (found.length >= MAX_FOUND) break;
  }
  return found;
};

function isPrivate(link: string): boolean {
  if (/^(?:file|gopher):/i.test(link)) return true;
  let host: string;
  try {
    host = new URL(link).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return false;
  }
  if (host.includes(':')) return /^(?:::1?$|::ffff:|f[cd]|fe[89ab])/i.test(host);
  const parts = /^(\d{1,3})\.(\d{1,3})\.\d{1,3}\.\d{1,3}$/.exec(host);
  if (parts === null) return PRIVATE_NAME.test(host);
  const [first, second] = [Number(parts[1]), Number(parts[2])];
  return (
    first === 0 ||
    first === 10 ||
    first === 127 ||
    (first === 100 && second >= 64 && second < 128) ||
    (first === 169 && second === 254) ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168)
  );
}
