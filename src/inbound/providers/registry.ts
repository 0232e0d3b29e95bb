import type { InboundProvider } from '../../fields/inbound-providers.ts';
import { genericProvider } from './generic/provider.ts';
import { githubProvider } from './github/provider.ts';
import { mailProvider } from './mail-provider/provider.ts';
import type { Provider } from './provider.ts';

/** Every provider, by its kind. */
export const providers: Readonly<Record<InboundProvider, Provider>> = {
  mail_provider: mailProvider,
  generic: genericProvider,
  github: githubProvider,
};
