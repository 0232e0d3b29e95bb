import { hkdfSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isLoopback } from './loopback.ts';
import { parseWitnessPolicy, PolicyFault, submissionUrl, type WitnessPolicy } from './witness-policy.ts';
import { paidTiers, type PaidTier } from '../fields/tiers.ts';
import { parseVkey, SIGNATURE_TYPE, type SignatureType, type VerifierKey } from '../fields/verifier-key.ts';
import { modelName, modelProviders, pricesOfModel, type ModelName, type ModelProvider } from '../models/settings.ts';
import { parseOutboundUrl } from '../outbound/outbound-url.ts';
import { ratioOf, samplers, type TracingSettings } from '../tracing/settings.ts';

/** A number setting in its range; the text of the environment is taken as digits only, so `1e3` or ` 5 ` is a fault. */
const integer = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be from ${minimum} to ${maximum}`);

const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be a URL starting with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

/** As RFC 8414 §2 has it; keys that come without TLS can only be trusted where they do not leave this machine. */
const issuer = url('https:', 'http:').refine((text) => {
  if (!URL.canParse(text)) return true; // refused above
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  return username + password + search + hash === '' && (protocol === 'https:' || isLoopback(hostname));
}, 'must have no user, query or fragment, and be https:// unless it is on this machine');

/** One text or several, separated by commas. */
const listOf = (shortest: number, fault: string) =>
  z.string().transform((text, context): Several => {
    const [first = '', ...more] = text.split(',').map((part) => part.trim());
    if ([first, ...more].some((part) => part.length < shortest)) context.addIssue({ code: 'custom', message: fault });
    return [first, ...more];
  });

/** `name=value`, several separated by commas, as OpenTelemetry writes headers. */
const headers = z.string().transform((text, context): Readonly<Record<string, string>> => {
  try {
    return Object.fromEntries(
      text.split(',').map((part) => {
        const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(part) ?? [];
        if (name === undefined || value === undefined) throw new TypeError(part);
        return [name, decodeURIComponent(value.trim())];
      }),
    );
  } catch {
    context.addIssue({ code: 'custom', message: 'must be name=value, or several separated by commas' });
    return z.NEVER;
  }
});

/** A part of all, as 0.1. */
const ratio = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a number from 0 to 1')
  .transform(Number);

const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

const encryptionKeys = z.string().transform((text, context) =>
  text.split(',').map((part) => {
    const key = Buffer.from(part.trim(), 'base64');
    if (key.length !== 32) {
      context.addIssue({
        code: 'custom',
        message: 'must be 32 bytes in base64 (openssl rand -base64 32), or several separated by commas',
      });
    }
    return key;
  }),
);

/** Verifier keys of these types of signatures, separated by commas. */
const verifierKeys = (...types: SignatureType[]) =>
  z.string().transform((text, context): readonly VerifierKey[] =>
    text.split(',').flatMap((part) => {
      try {
        const key = parseVkey(part.trim());
        if (types.includes(key.type)) return [key];
      } catch {
        // said below
      }
      context.addIssue({
        code: 'custom',
        message: `must be verifier keys, name+id+base64 (c2sp.org/signed-note), of signature type ${types.join(' or ')}, separated by commas`,
      });
      return [];
    }),
  );

const witnessPolicy = z.string().transform((path, context): WitnessPolicy => {
  try {
    return parseWitnessPolicy(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof PolicyFault ? error.message : 'The file cannot be read.';
    context.addIssue({ code: 'custom', message: `must be the path of a trust policy (c2sp.org/tlog-policy). ${why}` });
    return z.NEVER;
  }
});

const priceIds = listOf(1, 'must be the id of a price, or several separated by commas');

/** The settings, by the name of their variable. Everything is optional on one machine. */
const Environment = z.object({
  PORT: integer(0, 65_535).default(3000),
  WORKER_PORT: integer(0, 65_535).default(3001),
  HOST: z.string().min(1).optional(),
  METRICS_PORT: integer(0, 65_535).optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_BASE_URL: url('http:', 'https:').optional(),
  TRUST_PROXY_HOPS: integer(0, 10).default(0),
  DRAIN_SECONDS: integer(0, 300).optional(),
  DATA_DIR: z.string().min(1).default('.carnet'),
  LOG_HEAD_DIR: z.string().min(1).optional(),
  NODE_ENV: z.string().optional(),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headers.optional(),
  OTEL_TRACES_SAMPLER: z.enum(samplers, `must be ${samplers.join(', ')}`).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d+$/, 'must be host:port')
    .optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  MAX_DUE_LIVES: integer(10, 10_000_000).default(100_000),
  RUN_FOR_EVERY_LIFE: flag.default(false),
  WORKER_QUEUES: z.enum(['all', 'sealed', 'others']).default('all'),
  POSTGRES_PORT: integer(0, 65_535).default(0),
  TEMPORAL_PORT: integer(0, 65_535).default(7233),
  TEMPORAL_UI_PORT: integer(0, 65_535).default(8233),
  TEMPORAL_UI_URL: url('http:', 'https:').optional(),
  TEMPORAL_API_KEY: z.string().min(1).optional(),
  TEMPORAL_TLS_CA: z.string().min(1).optional(),
  TEMPORAL_TLS_CERT: z.string().min(1).optional(),
  TEMPORAL_TLS_KEY: z.string().min(1).optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().min(1).optional(),
  WORKFLOW_BUNDLE: z
    .string()
    .refine((path) => existsSync(path), 'must be a file that scripts/bundle-workflows.ts wrote')
    .optional(),
  PLATFORM_ADMIN_KEY: z.string().min(24, 'must be 24 characters or more').optional(),
  OPEN_REGISTRATION: flag.optional(),
  FREE_OPERATORS_PER_ADDRESS: integer(1, 1_000).default(5),
  PLATFORM_OWNER_EMAIL: z.email('must be an e-mail address').max(254).optional(),
  ENCRYPTION_KEY: encryptionKeys.optional(),
  INVOCATION_TTL_SECONDS: integer(60, 604_800).default(86_400),
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000).default(600),
  ANONYMOUS_RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000).default(6_000),
  SKILL_REVIEW: z.enum(['code', 'all', 'none'], 'must be code, all or none').default('code'),
  SESSION_MAX_SECONDS: integer(60, 2_592_000).default(86_400),
  MISSED_CHECKOUT_GRACE_SECONDS: integer(1, 86_400).default(900),
  REVIEW_BLOCK_REVOKES: flag.default(false),
  APPROVAL_SECONDS: integer(60, 2_592_000).default(86_400),
  VERIFICATION_CODE_SECONDS: integer(30, 86_400).default(600),
  SMTP_URL: url('smtp:', 'smtps:').optional(),
  MAIL_FROM: z.string().min(3).optional(),
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC[0-9a-fA-F]{32}$/, 'must be the SID of an account at Twilio, AC and 32 hexadecimal digits')
    .optional(),
  TWILIO_AUTH_TOKEN: z.string().min(16, 'must be 16 characters or more').optional(),
  TWILIO_FROM: z
    .string()
    .regex(
      /^(\+[1-9]\d{6,14}|MG[0-9a-fA-F]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/,
      'must be a number as +15551230000, the SID of a messaging service, MG…, or a name of up to 11 letters and digits',
    )
    .optional(),
  TWILIO_API_BASE: url('https:', 'http:').optional(),
  LOCAL_PROVIDERS: flag.default(false),
  OUTBOUND_ALLOW_LOOPBACK: flag.default(false),
  OAUTH_ISSUER: issuer.optional(),
  OAUTH_AUDIENCE: z.string().min(1).optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_\w+$/, 'must be a secret or restricted key of Stripe, sk_… or rk_…')
    .optional(),
  STRIPE_WEBHOOK_SECRET: listOf(16, 'must be 16 characters or more, each where there are several').optional(),
  STRIPE_API_BASE: url('https:', 'http:').optional(),
  STRIPE_PRICE_DEVELOPER: priceIds.optional(),
  STRIPE_PRICE_PRO: priceIds.optional(),
  STRIPE_PRICE_BUSINESS: priceIds.optional(),
  STRIPE_PRICE_SEAT: priceIds.optional(),
  TOPUP_SESSION_SECONDS: integer(1, 86_400).default(86_400),
  SUBSCRIBE_SESSION_SECONDS: integer(1, 86_400).default(1_800),
  COMMISSION_BPS: integer(0, 10_000).default(0),
  MIN_PAYOUT_CENTS: integer(1, 100_000_000).default(1_000),
  // At most four weeks: what waits for one statement is old enough for the next.
  PAYOUT_TOPUP_AGE_DAYS: integer(0, 28).default(7),
  COST_EMAIL_MICROCENTS: integer(0, 100_000_000).default(10_000),
  COST_COMPUTE_MICROCENTS: integer(0, 100_000_000).default(5_000),
  LLM_PROVIDERS: modelProviders.optional(),
  L3_MODEL: modelName.optional(),
  WITNESS_KEYS: verifierKeys(SIGNATURE_TYPE.ed25519Cosignature, SIGNATURE_TYPE.mlDsa44Cosignature).optional(),
  WITNESS_POLICY: witnessPolicy.optional(),
  REGISTRY_KEYS: verifierKeys(SIGNATURE_TYPE.ed25519).optional(),
});

type EnvironmentName = keyof z.input<typeof Environment>;

/** Settings that open something: shown as set or unset, never by value. */
const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'ENCRYPTION_KEY',
  'LLM_PROVIDERS',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'PLATFORM_ADMIN_KEY',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'TEMPORAL_API_KEY',
  'TEMPORAL_TLS_KEY',
  'TWILIO_AUTH_TOKEN',
] satisfies EnvironmentName[]);

export interface TemporalSettings {
  address: string;
  namespace: string;
  apiKey: string | undefined;
  /** Paths of PEM files; all absent: no TLS unless an API key needs it. */
  tls: { ca?: string; cert?: string; key?: string; serverName?: string } | undefined;
}

export interface MailSettings {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  smtpUrl: string;
  from: string;
}

/** Who sends SMS; the outbox keeps them on an instance for trials. */
export type SmsSettings = TwilioSettings | { provider: 'outbox' };

export interface TwilioSettings {
  provider: 'twilio';
  accountSid: string;
  authToken: string;
  /** A number in E.164, a name, or the SID of a messaging service, `MG…`. */
  from: string;
  /** Absent: Twilio's own address. */
  apiBase: string | undefined;
}

/** Access tokens of an OAuth server are taken as credentials. */
export interface OAuthSettings {
  issuer: string;
  audience: string;
}

/** One or more. */
export type Several = readonly [string, ...string[]];

/**
 * Who moves the money. A webhook is taken that is signed with any of the secrets: there are two while one is changed. The
 * local provider signs with the first.
 */
export type PaymentSettings = StripeSettings | { provider: 'local'; webhookSecrets: Several };

/** Each of these has a monthly price: a paid tier, or one seat. */
export type PricedItem = PaidTier | 'seat';

/** The setting that names the price of an item, `STRIPE_PRICE_PRO`. */
export const priceSetting = <Item extends PricedItem>(item: Item) =>
  `STRIPE_PRICE_${item.toUpperCase() as Uppercase<Item>}` as const;

const pricesOf = (priceOf: (item: PricedItem) => Several): Record<PricedItem, Several> =>
  Object.fromEntries([...paidTiers, 'seat' as const].map((item) => [item, priceOf(item)])) as Record<
    PricedItem,
    Several
  >;

export interface StripeSettings {
  provider: 'stripe';
  secretKey: string;
  webhookSecrets: Several;
  /** Absent: Stripe's own address. */
  apiBase: string | undefined;
  /**
   * Ids of Stripe prices, recurring each month, of each paid tier and of a seat. The first is sold; the others were sold
   * before, and subscriptions at them go on.
   */
  prices: Record<PricedItem, Several>;
}

/** Links that sign in as the owners of the demo operators, each once: their tokens are in the terminal of the start alone. */
export interface DemoLinks {
  tokens: Readonly<Record<'publisher' | 'consumer', string>>;
  /** In milliseconds of the epoch; no link counts after it. */
  until: number;
}

/** Where an embedded instance keeps the keys of its demo operators. */
export const credentialsFile = (dataDir: string): string => join(dataDir, 'credentials.json');

/** The validated settings of one process. */
export interface Config {
  port: number;
  /** The port of health and metrics of a worker without an API. */
  workerPort: number;
  /** The address to listen on; undefined: every interface. */
  host: string | undefined;
  /** The port of /metrics alone, in a process of any kind; undefined: it stands beside the health pages. */
  metricsPort: number | undefined;
  /** The address to listen on there. */
  metricsHost: string;
  /** Absent: no traces are exported. */
  tracing: TracingSettings | undefined;
  publicBaseUrl: string;
  trustProxyHops: number;
  /** Seconds between the signal to stop and the end of listening. */
  drainSeconds: number;
  dataDir: string;
  /** Where the keys of the demo operators are; absent: this is no embedded instance, and there are none. */
  credentialsFile: string | undefined;
  /** Absent: this is no embedded instance of one machine, or nobody reads its terminal. */
  demoLinks: DemoLinks | undefined;
  /** Browsers on this machine read the outbox: an embedded instance that others reach, or that sends its mail, has no such page. */
  localInbox: boolean;
  /** Anybody who proves an address registers an operator in the browser. */
  openRegistration: boolean;
  /** How many operators of the tier free an address may own and still register another. */
  freeOperatorsPerAddress: number;
  /** Where the newest head of the claims log is written, outside of the database. */
  logHeadDir: string;
  logLevel: z.output<typeof Environment>['LOG_LEVEL'];
  /** NODE_ENV is `production`: a refusal that a route does not declare is sent as it is, and logged. */
  production: boolean;
  databaseUrl: string;
  temporal: TemporalSettings;
  /** Where people look at runs; shown on the home page. Absent: not known. */
  temporalUiUrl: string | undefined;
  /** Path of the bundled workflow code, with which a worker starts immediately; absent: it bundles the sources. */
  workflowBundle: string | undefined;
  platformAdminKey: string;
  /** Who is made the first owner of the platform; null: nobody. */
  platformOwnerEmail: string | null;
  encryptionKeys: readonly Buffer[];
  /** Seconds until an invocation nobody finished expires. */
  invocationTtlSeconds: number;
  /** Requests a minute a key, five times as many an operator; 0: no rate limit of any kind. */
  rateLimitPerMinute: number;
  /** Requests a minute of one address that shows no valid credential, or none that the route looks at. */
  anonymousRateLimitPerMinute: number;
  skillReview: 'code' | 'all' | 'none';
  /** Seconds from the first passport of a session to the last expiry that refreshing may reach. */
  sessionMaxSeconds: number;
  /** Seconds from the last moment of a session's work to a missed checkout. */
  missedCheckoutGraceSeconds: number;
  /** A review decided as blocked without `block_future` revokes the passport and its descendants too. */
  reviewBlockRevokes: boolean;
  /** Seconds that a person has to approve. */
  approvalSeconds: number;
  /** Seconds that a code that was sent can be entered. */
  verificationCodeSeconds: number;
  /** Addresses that users choose may lead to this machine, over http too: for local trials (decision C39). */
  outboundAllowLoopback: boolean;
  /** Absent: mail stays in the local outbox, which the platform key reads. */
  mail: MailSettings | undefined;
  /** Absent: there is no destination by SMS. */
  sms: SmsSettings | undefined;
  /** Absent: no OAuth access token is a credential. */
  oauth: OAuthSettings | undefined;
  /** Absent: anything that needs a payment provider is 503 PAYMENTS_NOT_CONFIGURED. */
  payments: PaymentSettings | undefined;
  /** Seconds that a hosted checkout of a top-up can be paid. */
  topUpSessionSeconds: number;
  /** Seconds that a hosted checkout of a subscription can be paid. */
  subscribeSessionSeconds: number;
  /** Hundredths of a percent kept of earnings, unless the operator has a rate of its own. */
  commissionBps: number;
  /** Less than this is not paid out, but carried to the next month. */
  minPayoutCents: number;
  /** Days that a top-up is old before what it paid is paid out (decision B71). */
  payoutTopUpAgeDays: number;
  /** The cost of a notification by e-mail for the platform. */
  notificationEmailMicrocents: number;
  /** Which queues a worker polls: `sealed`, where skills are executed, the others, or all. */
  /** Lives that are due and wait for their delivery, from which on no new work is begun; a tenth of it for one operator. */
  maxDueLives: number;
  /** Whether a life that ends while Temporal has no place for it waits for a run all the same; otherwise it is settled without one. */
  runForEveryLife: boolean;
  workerQueues: 'all' | 'sealed' | 'others';
  /** The cost of a second of a script of a sealed or source skill for the platform. */
  computeMicrocentsPerSecond: number;
  /** Who is asked where a model is needed. */
  modelProviders: readonly ModelProvider[];
  /** Judges inbound events that the scanner leaves undecided; one of `modelProviders`. Absent: none is asked. */
  l3Model: ModelName | undefined;
  /** Those whose signatures of checkpoints are taken, and whose co-signatures of claims are verified. */
  witnessKeys: readonly VerifierKey[];
  /** Who is asked to sign checkpoints, and whose signatures are enough. Absent: nobody is asked. */
  witnessPolicy: WitnessPolicy | undefined;
  /** The keys of other registries, by whose receipts claims may come; each is named as receipts name the registry. */
  registryKeys: readonly VerifierKey[];
}

export type Settings = z.output<typeof Environment>;

/** Names each setting and what it must be: one fault in one sentence, several in a line each. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';

  constructor(what: string, faults: readonly string[]) {
    super(
      faults.length === 1 ? `${what}: ${faults[0]}.` : `${what}.\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
}

/**
 * Reads the settings of this environment; an empty variable counts as unset.
 * @throws ConfigFault that lists every fault.
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name in Environment.shape && value !== ''),
  );
  const shown = (name: string): string => (SECRETS.has(name) ? '' : ` (it is ${JSON.stringify(given[name])})`);
  const parsed = Environment.safeParse(given);
  const faults = parsed.success
    ? faultsBetween(parsed.data).map(([name, fault]) => `${name} ${fault}${shown(name)}`)
    : parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}${shown(String(issue.path[0]))}`);
  if (parsed.success && faults.length === 0) return parsed.data;
  throw new ConfigFault('The settings are not valid', faults);
}

/** Finds what is wrong between settings that are right by themselves: the name of one, and what it must be. */
const faultsBetween = (settings: Settings): [EnvironmentName, string][] => {
  const { LLM_PROVIDERS, L3_MODEL } = settings;
  const isModelKnown = L3_MODEL === undefined || pricesOfModel(LLM_PROVIDERS ?? [], L3_MODEL) !== undefined;
  return [
    ...(isModelKnown ? [] : [['L3_MODEL', 'must name a provider of LLM_PROVIDERS and one of its models'] as const]),
    ...uncalledWitnesses(settings).map((fault) => ['WITNESS_POLICY', fault] as const),
  ].map(([name, fault]) => [name, fault]);
};

/** Witnesses whose address is one that outbound calls refuse: they would be asked once a minute, and never sign. */
const uncalledWitnesses = ({ WITNESS_POLICY, OUTBOUND_ALLOW_LOOPBACK, PUBLIC_BASE_URL, PORT }: Settings): string[] =>
  (WITNESS_POLICY?.witnesses ?? []).flatMap(({ url: address, line }) => {
    if (address === null) return [];
    const publicBaseUrl = PUBLIC_BASE_URL ?? localBaseUrl(PORT);
    const judged = parseOutboundUrl(submissionUrl(address), { allowLoopback: OUTBOUND_ALLOW_LOOPBACK, publicBaseUrl });
    if (judged.outcome === 'parsed') return [];
    return [
      `must name witnesses that can be called. Line ${line}: ${judged.sentence} A witness on this machine needs OUTBOUND_ALLOW_LOOPBACK=true.`,
    ];
  });

/** The values that `main.ts` provides from its embedded parts where the environment says nothing. */
interface Provided {
  databaseUrl?: string | undefined;
  temporalAddress?: string | undefined;
  temporalUiUrl?: string | undefined;
  platformAdminKey?: string | undefined;
  encryptionKeys?: readonly Buffer[] | undefined;
  demoLinks?: DemoLinks | undefined;
  /**
   * The parts are embedded: an instance for one machine, with the local outbox and the local payment page. Nobody else reaches it,
   * so it needs no PUBLIC_BASE_URL.
   */
  localProviders?: boolean;
}

/**
 * Seconds: a load balancer that looks at /readyz every other second has taken the process out by then, and it ends within the ten
 * seconds that Docker gives. Before an embedded instance stands none.
 */
const DRAIN_SECONDS = 5;

/** Where this machine reaches an embedded instance that nobody has given another address. */
const localBaseUrl = (port: number): string => `http://127.0.0.1:${port}`;

/**
 * The address that an embedded instance listens on: of this machine alone, unless HOST or PUBLIC_BASE_URL says that others reach it.
 * @returns undefined: every interface
 */
export const embeddedHost = ({ HOST, PUBLIC_BASE_URL, PORT }: Settings): string | undefined =>
  HOST ?? (isLoopback(new URL(PUBLIC_BASE_URL ?? localBaseUrl(PORT)).hostname) ? '127.0.0.1' : undefined);

/** The key that the local payment page signs with where nothing else is set: the same in every process, and kept nowhere. */
const localWebhookSecret = (keys: readonly Buffer[] | undefined): string =>
  `whsec_${Buffer.from(hkdfSync('sha256', keys?.[0] ?? '', '', 'carnet:local-payments', 32)).toString('base64url')}`;

/**
 * Settings and provided parts as one object.
 * @throws ConfigFault naming what neither the environment nor `provided` has.
 */
export function completeConfig(settings: Settings, provided: Provided = {}): Config {
  const missing: string[] = [];
  const need = <T>(name: EnvironmentName, why: string, value: T | undefined): T => {
    if (value === undefined) missing.push(`${name} is needed, ${why}`);
    return value as T; // never used when missing: the fault below is thrown first
  };
  const keys = need(
    'ENCRYPTION_KEY',
    'which encrypts stored one-time secrets (make one with openssl rand -base64 32)',
    settings.ENCRYPTION_KEY ?? provided.encryptionKeys,
  );
  const payments = (): PaymentSettings | undefined => {
    const webhookSecrets = settings.STRIPE_WEBHOOK_SECRET;
    const since = 'since STRIPE_SECRET_KEY is set';
    if (settings.STRIPE_SECRET_KEY !== undefined) {
      return {
        provider: 'stripe',
        secretKey: settings.STRIPE_SECRET_KEY,
        webhookSecrets: need(
          'STRIPE_WEBHOOK_SECRET',
          `${since}: the signing secret of the webhook endpoint, whsec_…`,
          webhookSecrets,
        ),
        apiBase: settings.STRIPE_API_BASE,
        prices: pricesOf((item) =>
          need(priceSetting(item), `${since}: the id of a monthly price`, settings[priceSetting(item)]),
        ),
      };
    }
    if (!settings.LOCAL_PROVIDERS && provided.localProviders !== true) return undefined;
    return { provider: 'local', webhookSecrets: webhookSecrets ?? [localWebhookSecret(keys)] };
  };
  const sms = (): SmsSettings | undefined => {
    const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM } = settings;
    if (TWILIO_ACCOUNT_SID === undefined && TWILIO_AUTH_TOKEN === undefined && TWILIO_FROM === undefined) {
      return settings.LOCAL_PROVIDERS || provided.localProviders === true ? { provider: 'outbox' } : undefined;
    }
    const since = 'since another setting of Twilio is set';
    return {
      provider: 'twilio',
      accountSid: need('TWILIO_ACCOUNT_SID', since, TWILIO_ACCOUNT_SID),
      authToken: need('TWILIO_AUTH_TOKEN', since, TWILIO_AUTH_TOKEN),
      from: need('TWILIO_FROM', `${since}: the number, name or messaging service that SMS come from`, TWILIO_FROM),
      apiBase: settings.TWILIO_API_BASE,
    };
  };
  const tls = {
    ...(settings.TEMPORAL_TLS_CA !== undefined && { ca: settings.TEMPORAL_TLS_CA }),
    ...(settings.TEMPORAL_TLS_CERT !== undefined && { cert: settings.TEMPORAL_TLS_CERT }),
    ...(settings.TEMPORAL_TLS_KEY !== undefined && { key: settings.TEMPORAL_TLS_KEY }),
    ...(settings.TEMPORAL_TLS_SERVER_NAME !== undefined && { serverName: settings.TEMPORAL_TLS_SERVER_NAME }),
  };
  /** Embedded, and reached from this machine alone: what is opened without a code is opened nowhere else. */
  const isForTrials =
    provided.localProviders === true &&
    settings.NODE_ENV !== 'production' &&
    settings.TRUST_PROXY_HOPS === 0 &&
    isLoopback(new URL(settings.PUBLIC_BASE_URL ?? localBaseUrl(settings.PORT)).hostname);
  const config: Config = {
    port: settings.PORT,
    workerPort: settings.WORKER_PORT,
    host: provided.localProviders === true ? embeddedHost(settings) : settings.HOST,
    metricsPort: settings.METRICS_PORT,
    metricsHost: settings.METRICS_HOST,
    tracing:
      settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            url: `${settings.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
            headers: settings.OTEL_EXPORTER_OTLP_HEADERS ?? {},
            ratio: ratioOf(settings.OTEL_TRACES_SAMPLER, settings.OTEL_TRACES_SAMPLER_ARG),
          },
    publicBaseUrl: (
      need(
        'PUBLIC_BASE_URL',
        'how clients reach the service, https://carnet.example.com: passports name it as their issuer, mails link to it',
        settings.PUBLIC_BASE_URL ?? (provided.localProviders === true ? localBaseUrl(settings.PORT) : undefined),
      ) ?? ''
    ).replace(/\/+$/, ''),
    trustProxyHops: settings.TRUST_PROXY_HOPS,
    drainSeconds: settings.DRAIN_SECONDS ?? (provided.localProviders === true ? 0 : DRAIN_SECONDS),
    dataDir: settings.DATA_DIR,
    credentialsFile: provided.localProviders === true ? credentialsFile(settings.DATA_DIR) : undefined,
    demoLinks: isForTrials ? provided.demoLinks : undefined,
    localInbox: isForTrials && settings.SMTP_URL === undefined,
    freeOperatorsPerAddress: settings.FREE_OPERATORS_PER_ADDRESS,
    openRegistration: settings.OPEN_REGISTRATION ?? provided.localProviders === true,
    logHeadDir: settings.LOG_HEAD_DIR ?? settings.DATA_DIR,
    logLevel: settings.LOG_LEVEL,
    production: settings.NODE_ENV === 'production',
    databaseUrl: need(
      'DATABASE_URL',
      'the Postgres to use, postgres://user:password@host:5432/carnet',
      settings.DATABASE_URL ?? provided.databaseUrl,
    ),
    temporal: {
      address: need(
        'TEMPORAL_ADDRESS',
        'the Temporal frontend, host:7233',
        settings.TEMPORAL_ADDRESS ?? provided.temporalAddress,
      ),
      namespace: settings.TEMPORAL_NAMESPACE,
      apiKey: settings.TEMPORAL_API_KEY,
      tls: Object.keys(tls).length > 0 ? tls : undefined,
    },
    temporalUiUrl: settings.TEMPORAL_UI_URL ?? provided.temporalUiUrl,
    workflowBundle: settings.WORKFLOW_BUNDLE,
    platformAdminKey: need(
      'PLATFORM_ADMIN_KEY',
      'the key of platform administration, 24 characters or more',
      settings.PLATFORM_ADMIN_KEY ?? provided.platformAdminKey,
    ),
    platformOwnerEmail:
      settings.PLATFORM_OWNER_EMAIL ?? (provided.localProviders === true ? 'platform@carnet.invalid' : null),
    encryptionKeys: keys,
    invocationTtlSeconds: settings.INVOCATION_TTL_SECONDS,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    anonymousRateLimitPerMinute: settings.ANONYMOUS_RATE_LIMIT_PER_MINUTE,
    skillReview: settings.SKILL_REVIEW,
    sessionMaxSeconds: settings.SESSION_MAX_SECONDS,
    missedCheckoutGraceSeconds: settings.MISSED_CHECKOUT_GRACE_SECONDS,
    reviewBlockRevokes: settings.REVIEW_BLOCK_REVOKES,
    approvalSeconds: settings.APPROVAL_SECONDS,
    verificationCodeSeconds: settings.VERIFICATION_CODE_SECONDS,
    outboundAllowLoopback: settings.OUTBOUND_ALLOW_LOOPBACK,
    mail:
      settings.SMTP_URL === undefined && (settings.LOCAL_PROVIDERS || provided.localProviders === true)
        ? undefined
        : {
            smtpUrl: need(
              'SMTP_URL',
              'the mail server, smtp://user:password@host:587 (or LOCAL_PROVIDERS=true for a trial: mail then stays in the outbox)',
              settings.SMTP_URL,
            ),
            from: need('MAIL_FROM', 'the sender of mails', settings.MAIL_FROM),
          },
    sms: sms(),
    oauth:
      settings.OAUTH_ISSUER === undefined && settings.OAUTH_AUDIENCE === undefined
        ? undefined
        : {
            issuer: need('OAUTH_ISSUER', 'since OAUTH_AUDIENCE is set', settings.OAUTH_ISSUER),
            audience: need('OAUTH_AUDIENCE', 'since OAUTH_ISSUER is set', settings.OAUTH_AUDIENCE),
          },
    payments: payments(),
    topUpSessionSeconds: settings.TOPUP_SESSION_SECONDS,
    subscribeSessionSeconds: settings.SUBSCRIBE_SESSION_SECONDS,
    commissionBps: settings.COMMISSION_BPS,
    minPayoutCents: settings.MIN_PAYOUT_CENTS,
    payoutTopUpAgeDays: settings.PAYOUT_TOPUP_AGE_DAYS,
    notificationEmailMicrocents: settings.COST_EMAIL_MICROCENTS,
    maxDueLives: settings.MAX_DUE_LIVES,
    runForEveryLife: settings.RUN_FOR_EVERY_LIFE,
    workerQueues: settings.WORKER_QUEUES,
    computeMicrocentsPerSecond: settings.COST_COMPUTE_MICROCENTS,
    modelProviders: settings.LLM_PROVIDERS ?? [],
    l3Model: settings.L3_MODEL,
    witnessKeys: settings.WITNESS_KEYS ?? [],
    witnessPolicy: settings.WITNESS_POLICY,
    registryKeys: settings.REGISTRY_KEYS ?? [],
  };
  if (missing.length > 0) throw new ConfigFault('Settings are missing', missing);
  return config;
}
