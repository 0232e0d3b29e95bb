import assert from 'node:assert/strict';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { dashboardRoutes } from '../../../src/dashboard/routes.ts';
import { isFromThisMachine } from '../../../src/http/this-machine.ts';
import { openShell, type Shell } from '../../http/support/shell.ts';
import { buildOperator } from '../../support/factories.ts';
import { codeFor, mailedCode } from '../../support/people.ts';
import { service } from '../../support/service.ts';
import { WebBrowser, type WebPage } from '../../support/web-browser.ts';

const INBOX = '/inbox';
const DEMO = '/dashboard/sign-in/demo';

interface Sent {
  host: string;
  port: number | string;
  headers?: Record<string, string>;
}

/** Opens the inbox with headers that `fetch` does not let one choose. */
const inboxAt = ({ host, port, headers = {} }: Sent): Promise<{ status: number | undefined; body: string }> =>
  new Promise((resolve, reject) => {
    get({ host, port, path: INBOX, headers: { accept: 'text/html', ...headers } }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    }).on('error', reject);
  });

const tokens = { publisher: 'p'.repeat(43), consumer: 'c'.repeat(43) };
const demoLinks = (ms: number) => ({ tokens, until: Date.now() + ms });
const HOUR = 3_600_000;

/** Settings under which nobody comes in without a code: each differs in one thing from `npm start` on one machine. */
const elsewhere: readonly [name: string, options: Omit<Parameters<typeof openShell>[0], 'routes'>][] = [
  [
    'the production role, with the local outbox too',
    {
      settings: { LOCAL_PROVIDERS: 'true', PUBLIC_BASE_URL: 'http://127.0.0.1:3000' },
      provided: { localProviders: false, demoLinks: demoLinks(HOUR) },
    },
  ],
  ['NODE_ENV=production', { settings: { NODE_ENV: 'production' }, provided: { demoLinks: demoLinks(HOUR) } }],
  ['a proxy', { settings: { TRUST_PROXY_HOPS: '1' }, provided: { demoLinks: demoLinks(HOUR) } }],
  [
    'another address',
    { settings: { PUBLIC_BASE_URL: 'https://carnet.example' }, provided: { demoLinks: demoLinks(HOUR) } },
  ],
];

describe('The inbox', () => {
  it('shows the mails, with their links and codes, to a browser on this machine', async () => {
    const operator = await buildOperator({ name: `<b>bold</b>`, email: `inbox-${Date.now()}@example.test` });
    const browser = new WebBrowser();
    const sent = await (
      await browser.open('/dashboard/sign-in')
    ).press('Send me a code', {
      fields: { email: operator.email },
    });
    assert.doesNotMatch(sent.text, /curl/);
    const inbox = await sent.follow('its inbox');
    assert.deepEqual([inbox.status, inbox.title, inbox.cards.length], [200, 'Inbox', 1]);
    assert(inbox.cards[0]?.includes(await codeFor(operator.email)));
    assert.equal(inbox.headers.get('cache-control'), 'no-store');
    assert.match(inbox.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    const link = inbox.links().find(({ href }) => href.startsWith('/dashboard/sign-in/link?'));
    const page = await browser.open(link?.href ?? '');
    assert.equal((await page.press('Sign in')).path, '/dashboard');
  });

  it('shows what others wrote as text, and links to this host alone', async () => {
    const { baseUrl } = service();
    const { email } = await buildOperator();
    await mailedCode(email);
    const html = (await new WebBrowser().open(INBOX)).html;
    assert.doesNotMatch(html, /<script|<img [^>]*src="http|\sstyle=/);
    for (const [, href] of html.matchAll(/href="([^"]*)"/g)) assert.match(href ?? '', /^(?:[/#?](?!\/)|$)/, baseUrl);
  });

  it('is no page for any name of Host but those of this machine', async () => {
    const { hostname, port } = new URL(service().baseUrl);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `LOCALHOST:${port}`])
      assert.equal((await inboxAt({ host: hostname, port, headers: { host } })).status, 200, host);
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example`,
      `evil.example@localhost:${port}`,
      `localhost:${port}@evil.example`,
      `localhost:${port}/evil`,
      `0.0.0.0:${port}`,
    ];
    for (const host of hosts) {
      const { status, body } = await inboxAt({ host: hostname, port, headers: { host } });
      assert([400, 404].includes(status ?? 0), `${host}: ${status}`);
      assert.doesNotMatch(body, /<h1>Inbox/);
    }
  });

  it('is no page behind a proxy on this machine', async () => {
    const { hostname, port } = new URL(service().baseUrl);
    const forwarded: Record<string, string>[] = [
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { via: '1.1 proxy' },
      { 'x-real-ip': '127.0.0.1' },
      { 'x-forwarded-host': 'localhost' },
      { 'x-forwarded-proto': 'https' },
    ];
    for (const headers of forwarded) assert.equal((await inboxAt({ host: hostname, port, headers })).status, 404);
  });

  it('is no page for what speaks HTTP/1.0, as a proxy does that adds no header', async () => {
    const { hostname, port } = new URL(service().baseUrl);
    const answered = async (version: string): Promise<string> => {
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${INBOX} HTTP/${version}\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`);
      return (await text(socket)).slice(0, 12);
    };
    assert.equal(await answered('1.1'), 'HTTP/1.1 200');
    assert.equal(await answered('1.0'), 'HTTP/1.1 404');
  });

  it('is no page for other addresses, those of this machine in a network too', async () => {
    const shell = await openShell({ routes: dashboardRoutes, host: '0.0.0.0' });
    try {
      const { port } = shell;
      assert.equal((await inboxAt({ host: '127.0.0.1', port })).status, 200);
      const outer = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
      for (const { address } of outer.filter(({ internal, family }) => !internal && family === 'IPv4'))
        assert.equal((await inboxAt({ host: address, port, headers: { host: `localhost:${port}` } })).status, 404);
    } finally {
      await shell.close();
    }
    const headers = { host: 'localhost:3000' };
    const from = (remoteAddress: string | undefined, hops = 0): boolean =>
      isFromThisMachine({ socket: { remoteAddress } as Socket, headers, httpVersion: '1.1' }, hops);
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) assert(from(address), address);
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '::2', '127.evil', '1.127.0.0.1', '', undefined])
      assert(!from(address), String(address));
    assert(!from('127.0.0.1', 1));
  });

  it('is only read', async () => {
    const posted = await new WebBrowser().send(INBOX, new URLSearchParams({}));
    assert.equal(posted.status, 405);
  });

  for (const [name, options] of [
    ...elsewhere,
    ['a mail server', { settings: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.test' } }] as const,
  ]) {
    it(`is no page with ${name}`, async () => {
      const shell = await openShell({ routes: dashboardRoutes, ...options });
      try {
        assert.equal((await inboxAt({ host: '127.0.0.1', port: shell.port })).status, 404);
        assert.doesNotMatch((await new WebBrowser(shell.baseUrl).open('/dashboard/sign-in')).html, /\/inbox/);
      } finally {
        await shell.close();
      }
    });
  }
});

describe('A link of the terminal', () => {
  const addressOf = (token: string): string => `${DEMO}?token=${token}`;
  /** As `press`, from the origin that this shell believes to have. */
  const pressed = (shell: Shell, browser: WebBrowser, page: WebPage): Promise<WebPage> => {
    const { action, values } = page.formOf('Sign in');
    return browser.send(action, values, { origin: new URL(shell.context.config.publicBaseUrl).origin });
  };

  it('signs in as the owner of a demo operator by a button, once, in whichever browser comes first', async () => {
    const shell = await openShell({ routes: dashboardRoutes, provided: { demoLinks: demoLinks(HOUR) } });
    try {
      for (const [which, email] of [
        ['publisher', 'publisher@carnet.invalid'],
        ['consumer', 'consumer@carnet.invalid'],
      ] as const) {
        const [first, second] = [new WebBrowser(shell.baseUrl), new WebBrowser(shell.baseUrl)];
        const opened = [await first.open(addressOf(tokens[which])), await second.open(addressOf(tokens[which]))];
        assert.match(opened[0]?.text ?? '', new RegExp(`owner of the demo ${which}`));
        assert.equal(first.cookies.size, 0, 'opening signs nobody in');
        const evil = opened[0]?.formOf('Sign in');
        const elsewhereSent = await first.send(evil?.action ?? '', evil?.values ?? new URLSearchParams(), {
          origin: 'https://evil.example',
        });
        assert.equal(elsewhereSent.status, 403);
        const both = await Promise.all([
          pressed(shell, first, opened[0] as WebPage),
          pressed(shell, second, opened[1] as WebPage),
        ]);
        assert.deepEqual(
          both.map(({ status }) => status).toSorted((a, b) => a - b),
          [200, 404],
          'one of the two signs in',
        );
        const signedIn = both.find(({ status }) => status === 200);
        assert.match(signedIn?.account ?? '', new RegExp(email));
        for (const browser of [first, second, new WebBrowser(shell.baseUrl)]) {
          assert.equal((await browser.open(addressOf(tokens[which]))).status, 404);
          const again = await pressed(shell, browser, opened[0] as WebPage);
          assert.deepEqual([again.status, again.title], [404, 'Sign in']);
        }
      }
    } finally {
      await shell.close();
    }
  });

  it('is over after its time, and no other token opens anything', async () => {
    const shell = await openShell({ routes: dashboardRoutes, provided: { demoLinks: demoLinks(-1) } });
    const current = await openShell({ routes: dashboardRoutes, provided: { demoLinks: demoLinks(HOUR) } });
    try {
      for (const [at, token] of [
        [shell, tokens.publisher],
        [current, ''],
        [current, 'undefined'],
        [current, `${tokens.publisher}x`],
        [current, '__proto__'],
      ] as const) {
        const browser = new WebBrowser(at.baseUrl);
        assert.equal((await browser.open(addressOf(token))).status, 404);
        const { origin } = new URL(at.context.config.publicBaseUrl);
        const sent = await browser.send(DEMO, new URLSearchParams({ token }), { origin });
        assert.deepEqual([sent.status, browser.cookies.size], [404, 0]);
      }
    } finally {
      await shell.close();
      await current.close();
    }
  });

  for (const [name, options] of elsewhere) {
    it(`opens nothing with ${name}`, async () => {
      const shell = await openShell({ routes: dashboardRoutes, ...options });
      try {
        const browser = new WebBrowser(shell.baseUrl);
        const { origin } = new URL(shell.context.config.publicBaseUrl);
        assert.equal((await browser.open(addressOf(tokens.publisher))).status, 404);
        const sent = await browser.send(DEMO, new URLSearchParams({ token: tokens.publisher }), { origin });
        assert.deepEqual([sent.status, browser.cookies.size], [404, 0]);
      } finally {
        await shell.close();
      }
    });
  }
});
