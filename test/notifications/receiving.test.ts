import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { createPorts } from '../../activities/ports.ts';
import { createOutbound } from '../../src/outbound/index.ts';
import { newWebhookSecret, sealSecret } from '../../src/notifications/signing/secrets.ts';
import { signedRequest } from '../../src/notifications/signing/signed-request.ts';
import { sendNotifications } from '../../src/notifications/index.ts';
import { sql } from '../../src/database/pool.ts';
import { run as execute } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { newWebhook, recordEvents } from './support/destinations.ts';
import { startReceiver, type ReceivedCall, type Receiver } from './support/receiver.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** A request that a receiver judges, and what it must find. */
interface Try {
  name: string;
  secret: string;
  headers: Record<string, string>;
  /** Base64. */
  raw: string;
  fits: boolean;
  fits_body: boolean;
}

type Verdict = Pick<Try, 'fits' | 'fits_body'>;

const GO_DRIVER = `
type try struct {
	Secret  string
	Headers map[string]string
	Raw     []byte
}

func main() {
	var tries []try
	text, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(text, &tries); err != nil {
		panic(err)
	}
	verdicts := []map[string]bool{}
	for _, one := range tries {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		verdicts = append(verdicts, map[string]bool{"fits": Fits(one.Secret, headers, one.Raw), "fits_body": FitsBody(one.Secret, headers, one.Raw)})
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`;

/** How the lines of the page are made a program that reads tries from the file it is given, and prints the verdicts. */
const LANGUAGES = {
  typescript: {
    file: 'receiver.ts',
    program: (lines: string) => `${lines}
      import { readFileSync } from 'node:fs';
      const tries = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
      console.log(JSON.stringify(tries.map(({ secret, headers, raw }) => {
        const bytes = Buffer.from(raw, 'base64');
        return { fits: fits(secret, headers, bytes), fits_body: fitsBody(secret, headers, bytes) };
      })));`,
    command: [process.execPath, '--no-warnings'],
    needs: [process.execPath, '--version'],
  },
  python: {
    file: 'receiver.py',
    program: (lines: string) => `${lines}
import json, sys
tries = json.load(open(sys.argv[1]))
bytes_of = lambda one: base64.b64decode(one["raw"])
print(json.dumps([{"fits": fits(one["secret"], one["headers"], bytes_of(one)),
  "fits_body": fits_body(one["secret"], one["headers"], bytes_of(one))} for one in tries]))`,
    command: ['python3'],
    needs: ['python3', '--version'],
  },
  go: {
    file: 'receiver.go',
    program: (lines: string) => `package main\n\nimport (\n\t"encoding/json"\n\t"os"\n)\n\n${lines}\n${GO_DRIVER}`,
    command: ['go', 'run'],
    needs: ['go', 'version'],
  },
} as const;
type Language = keyof typeof LANGUAGES;

async function linesOf(language: Language): Promise<string> {
  const text = await readFile(join(ROOT, 'docs', 'receiving-webhooks.md'), 'utf8');
  const [, lines] = new RegExp(`<!-- ${language} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
  return lines ?? assert.fail(`docs/receiving-webhooks.md has no lines of ${language}`);
}

const canRun = ([command, ...args]: readonly string[]): Promise<boolean> =>
  run(command ?? '', args).then(
    () => true,
    () => false,
  );

describe('docs/receiving-webhooks.md', function () {
  this.timeout(120_000);
  let own: OwnContext;
  let receiver: Receiver;
  let folder: string;
  let tries: Try[];
  let call: ReceivedCall;
  let secrets: { now: string; before: string };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-receiving-'));
    own = await ownContext();
    const outbound = createOutbound({ allowLoopback: true, publicBaseUrl: 'https://carnet.example.test' });
    const context = { ...own.context, outbound, ...createPorts(own.context) };
    receiver = await startReceiver();
    const webhook = await newWebhook(context, receiver.url);
    // As after a rotation: the secret of before still counts.
    secrets = { now: newWebhookSecret(), before: webhook.secret };
    await execute(
      context.pool,
      sql.fragment`
      update destinations set secret = ${sealSecret(context.encryption, webhook.id, secrets.now)}, old_secret = secret,
        old_secret_until = clock_timestamp() + interval '1 hour'
      where id = ${webhook.id}`,
    );
    // Characters that another serialisation of the same JSON would write in other bytes.
    const flags = [{ type: 'a', severity: 'critical', message: 'é 😀 \u2028 <&> "/" 1.0' }];
    await recordEvents(context, webhook.operatorId, { payload: { flags } });
    await sendNotifications(context, webhook.id);
    assert.equal(receiver.calls.length, 1);
    call = receiver.calls[0] ?? assert.fail();
    tries = triesOf(call, secrets);
  });
  after(async () => {
    await receiver.stop();
    await own.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [language, { file, program, command, needs }] of Object.entries(LANGUAGES)) {
    it(`has lines of ${language} that take what was delivered, and nothing else`, async function () {
      // Where a language is not installed its lines cannot be run; on the machines of CI all are.
      if (!process.env['CI'] && !(await canRun(needs))) return process.stderr.write(`LEFT OUT: no ${language} here\n`);
      await writeFile(join(folder, file), program(await linesOf(language as Language)));
      await writeFile(join(folder, 'tries.json'), JSON.stringify(tries));
      const [first = '', ...args] = command;
      const { stdout } = await run(first, [...args, join(folder, file), join(folder, 'tries.json')], {
        cwd: folder,
        timeout: 100_000,
      });
      const verdicts = JSON.parse(stdout) as Verdict[];
      assert.deepEqual(
        verdicts.map((verdict, at) => ({ name: tries[at]?.name, ...verdict })),
        tries.map(({ name, fits, fits_body }) => ({ name, fits, fits_body })),
      );
      return undefined;
    });
  }

  it('is right that the official library of Standard Webhooks takes ours, under both secrets of a rotation', () => {
    const { headers, body } = asSent(call);
    for (const secret of [secrets.now, secrets.before])
      assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
    assert.throws(() => new Webhook(newWebhookSecret()).verify(body, headers));
    assert.throws(() => new Webhook(secrets.now).verify(`${body} `, headers));
  });
});

const asSent = ({ headers, body }: ReceivedCall): { headers: Record<string, string>; body: string } => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  body,
});

/** What was delivered, and what somebody else could make of it. */
function triesOf(call: ReceivedCall, { now, before }: { now: string; before: string }): Try[] {
  const { headers, body } = asSent(call);
  const attempt = (
    name: string,
    verdict: Verdict,
    change: { secret?: string; headers?: Record<string, string>; body?: string } = {},
  ): Try => ({
    name,
    secret: change.secret ?? now,
    headers: { ...headers, ...change.headers },
    raw: Buffer.from(change.body ?? body).toString('base64'),
    ...verdict,
  });
  const yes: Verdict = { fits: true, fits_body: true };
  const no: Verdict = { fits: false, fits_body: false };
  const bodyAlone: Verdict = { fits: false, fits_body: true };
  const later = String(Number(headers['webhook-timestamp']) + 1);
  const signedAgo = (seconds: number): Record<string, string> => {
    const at = new Date(Date.now() - seconds * 1_000);
    const signed = signedRequest({ secrets: [now], eventId: headers['webhook-id'] ?? '', body, now: at });
    return Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), value]));
  };
  const [first = '', second = ''] = headers['webhook-signature']?.split(' ') ?? [];
  return [
    attempt('as it was sent', yes),
    attempt('with the secret of before the rotation', { fits: true, fits_body: false }, { secret: before }),
    attempt('with the secret of somebody else', no, { secret: newWebhookSecret() }),
    attempt('with the signature of the old secret alone', bodyAlone, { headers: { 'webhook-signature': second } }),
    attempt('with signatures in the other order', yes, { headers: { 'webhook-signature': `${second} ${first}` } }),
    attempt('with a signature of a version that nobody knows', bodyAlone, {
      headers: { 'webhook-signature': first.replace('v1,', 'v2,') },
    }),
    attempt('with one more byte', no, { body: `${body} ` }),
    attempt('parsed and written again', no, { body: JSON.stringify(JSON.parse(body), null, 1) }),
    attempt('under another id', bodyAlone, { headers: { 'webhook-id': 'evt_other' } }),
    attempt('at another time', bodyAlone, { headers: { 'webhook-timestamp': later } }),
    attempt('signed six minutes ago', bodyAlone, { headers: signedAgo(360) }),
    attempt('signed four minutes ago', yes, { headers: signedAgo(240) }),
    attempt('signed six minutes from now', bodyAlone, { headers: signedAgo(-360) }),
    attempt('at a time that is none', bodyAlone, { headers: { 'webhook-timestamp': '1e9' } }),
    attempt('without signatures', no, { headers: { 'webhook-signature': '', 'x-service-signature': '' } }),
    attempt('with signatures that are none', no, {
      headers: { 'webhook-signature': 'v1,é v1,', 'x-service-signature': 'zz' },
    }),
  ];
}
