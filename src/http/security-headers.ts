import helmet, { type HelmetOptions } from 'helmet';

/** What helmet would set on every answer, asked once; a flat list of names and values, as `writeHead` takes it. */
function headersOf(options: HelmetOptions): readonly string[] {
  const headers: string[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => void headers.push(name, value),
    removeHeader: () => {},
  };
  helmet(options)({} as never, recorder as never, () => {});
  return Object.freeze(headers);
}

/** helmet's no-referrer would make the forms of the console send `Origin: null` (decisions §3.8). */
const referrerPolicy = { policy: 'same-origin' } as const;

/**
 * For JSON and text: nothing may be loaded by it and nothing may frame it. What helmet has beyond that speaks to pages that run
 * in a browser or to browsers long gone, and each header costs an answer 0.2 µs.
 */
export const apiHeaders = headersOf({
  referrerPolicy,
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  xFrameOptions: { action: 'deny' },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/**
 * For the pages of the service: scripts and styles from here alone, none inline. Images may be data URLs: swagger-ui's icons are.
 */
export const pageHeaders = headersOf({
  referrerPolicy,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
});
