import type { Config } from '../../context/config.ts';
import { isLoopback } from '../../context/loopback.ts';

/** The file with the first keys, for pages to name; undefined where readers may be on another machine. */
export const shownCredentialsFile = ({
  publicBaseUrl,
  credentialsFile,
}: Pick<Config, 'publicBaseUrl' | 'credentialsFile'>): string | undefined =>
  isLoopback(new URL(publicBaseUrl).hostname) ? credentialsFile : undefined;
