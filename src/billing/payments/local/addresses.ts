import type { Context } from '../../../context/context.ts';

const LOCAL_PAGES = '/local-payments';

const folders = { checkout: LOCAL_PAGES, receipt: `${LOCAL_PAGES}/receipts`, portal: `${LOCAL_PAGES}/portals` };
export type LocalPage = keyof typeof folders;

/** The path of the pages of a kind, as a pattern for the router. */
export const pathOfPages = (kind: LocalPage): string => `${folders[kind]}/:id`;

/**
 * The address lets anybody pay who has it, so it must not be guessable. An id alone is: ids of one millisecond follow one
 * another. A MAC of 256 bits is added, which needs no column and is the same in every process.
 */
export const pathOfPage = ({ encryption }: Pick<Context, 'encryption'>, kind: LocalPage, id: string): string =>
  `${folders[kind]}/${id}.${encryption.mac(`${kind}:${id}`, PURPOSE)}`;

export const urlOfPage = (context: Pick<Context, 'config' | 'encryption'>, kind: LocalPage, id: string): string =>
  context.config.publicBaseUrl + pathOfPage(context, kind, id);

/** The id in the last segment of an address; undefined where the address is not one of ours. */
export function idInAddress({ encryption }: Context, kind: LocalPage, segment: string): string | undefined {
  const dot = segment.indexOf('.');
  const id = segment.slice(0, dot);
  return dot > 0 && encryption.macFits(`${kind}:${id}`, { purpose: PURPOSE, mac: segment.slice(dot + 1) })
    ? id
    : undefined;
}

const PURPOSE = 'local-payments';
