import { createApi, type Api, type ClientOptions } from './client.ts';
import { createMarket, type Market } from './market.ts';
import { createProvider, type Provider } from './provider.ts';

/** A client of one credential. */
export class Carnet {
  /** Every operation of the service. */
  readonly api: Api;
  /** Finds and invokes skills. */
  readonly market: Market;
  /** Publishes skills, and works on what is invoked. */
  readonly provider: Provider;
  readonly baseUrl: string;

  constructor(options: ClientOptions = {}) {
    const { api, baseUrl } = createApi(options);
    this.api = api;
    this.baseUrl = baseUrl;
    this.market = createMarket(api);
    this.provider = createProvider(api);
  }
}

export { door, PassportRefused } from './door.ts';
export type { Admission, Door, DoorOptions, Passport, RefusedBecause } from './door.ts';
export {
  ApprovalRequired,
  BudgetExceeded,
  CarnetError,
  InsufficientCredits,
  InvocationFailed,
  PriceChanged,
  RateLimited,
  StillRunning,
  UnclearError,
} from './errors.ts';
export type * from './generated.ts';
export type { Api, CallOptions, ClientOptions } from './client.ts';
export type { FindOptions, FoundSkill, InvokeOptions, Market, Result, Sort } from './market.ts';
export { WorkRefused } from './provider.ts';
export type { Handler, Provider, ServeOptions, Serving, Work } from './provider.ts';
export { signWebhook, verifyWebhook, WebhookRefused } from './webhooks.ts';
