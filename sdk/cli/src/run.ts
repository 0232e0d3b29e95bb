import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  Carnet,
  CarnetError,
  InvocationFailed,
  StillRunning,
  UnclearError,
  type PublishSkill,
  type Result,
  type Sort,
} from '../../typescript/src/index.ts';
import { linesOf, reportOn } from '../../../scripts/verify/report.ts';
import { listen, trigger } from './events.ts';
import { clientOf, saveLogin } from './login.ts';
import { json, Misuse, plain, readAll, secretLine, table, type Terminal } from './terminal.ts';

const HELP = `carnet <command> [options]

  login                        keep an address and an API key; the key is read from stdin
  whoami                       the account of the key, and its balance
  publish <file.json>          publish a skill, or its next version
  search <words…>              find skills      --max-price CENTS --sort ORDER --limit N
  invoke <skl_…>               invoke a skill   --input FILE|-|JSON --max-price CENTS --wait SECONDS --key KEY
  runs                         what you invoked --provided: what was invoked of your skills
  runs <inv_…>                 the output of an invocation, once it has ended   --wait SECONDS
  listen --forward URL         send events to a port of this machine   --events TYPE --secret SECRET
  trigger <event>              send a sample of an event   --forward URL --secret SECRET, or --destination ID
  verify <passport|claim|file> check a passport, the id of a claim, or a claim with its receipt in a file
  verify <bundle.json>         check the bundle of a claim offline   --key KEY|FILE --policy FILE
                               --checkpoint FILE --consistency FILE

  --json      print JSON
  --url URL   the address of the service, for login
  --help      print this

CARNET_BASE_URL and CARNET_API_KEY go before what login has kept.
Exit codes: 0 done, 1 refused or not valid, 2 a wrong command, 3 unclear whether it was done, 4 still running.
`;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  provided: { type: 'boolean', default: false },
  url: { type: 'string' },
  'max-price': { type: 'string' },
  sort: { type: 'string' },
  limit: { type: 'string' },
  input: { type: 'string' },
  wait: { type: 'string' },
  key: { type: 'string' },
  forward: { type: 'string' },
  events: { type: 'string' },
  secret: { type: 'string' },
  destination: { type: 'string' },
  policy: { type: 'string' },
  checkpoint: { type: 'string' },
  consistency: { type: 'string' },
} as const;

type Values = ReturnType<typeof parse>['values'];
const parse = (args: string[]) => parseArgs({ args, options: OPTIONS, allowPositionals: true });

interface Command {
  terminal: Terminal;
  values: Values;
  words: string[];
  /** Prints an answer: as JSON, or as `text` shows it. */
  show(answer: unknown, text: () => string): void;
}

/** @returns the exit code */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  try {
    const { values, positionals } = parsed(args);
    const [name, ...words] = positionals;
    if (values.help || name === undefined) {
      terminal.write(HELP);
      return values.help ? 0 : 2;
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw new Misuse(`There is no command ${plain(name)}; carnet --help lists them`);
    const show: Command['show'] = (answer, text) => terminal.write(values.json ? `${json(answer)}\n` : text());
    return (await command({ terminal, values, words, show })) ?? 0;
  } catch (error) {
    return complain(terminal, error, args.includes('--json'));
  }
}

function parsed(args: string[]): ReturnType<typeof parse> {
  try {
    return parse(args);
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error));
  }
}

/** Prints the fault and its remedy on stderr. */
function complain({ complain: print }: Terminal, error: unknown, asJson: boolean): number {
  const tell = (code: string, detail: string, exit: number): number => {
    print(asJson ? `${json({ code, detail })}\n` : `carnet: ${plain(code)}: ${plain(detail)}\n`);
    return exit;
  };
  if (error instanceof Misuse || error instanceof TypeError) return tell('USAGE', error.message, 2);
  if (error instanceof CarnetError) return tell(error.code, error.detail, 1);
  if (error instanceof InvocationFailed)
    return tell(error.code, `${error.id} ended as ${error.status}. ${error.message}`, 1);
  if (error instanceof StillRunning)
    return tell('STILL_RUNNING', `${error.id} has not ended yet. Run: carnet runs ${error.id}`, 4);
  if (error instanceof UnclearError) {
    const again = error.idempotencyKey === undefined ? '' : ` Run it again with --key ${error.idempotencyKey}.`;
    return tell('UNCLEAR', error.message + (error.mayHaveHappened ? again : ''), error.mayHaveHappened ? 3 : 1);
  }
  return tell('FAILED', error instanceof Error ? error.message : String(error), 1);
}

const COMMANDS: Record<string, (command: Command) => Promise<number | undefined>> = {
  async login({ terminal, values, show }) {
    const baseUrl = values.url ?? terminal.environment['CARNET_BASE_URL'];
    if (baseUrl === undefined) throw new Misuse('login needs --url, the address of the service');
    terminal.complain('API key: ');
    const apiKey = terminal.environment['CARNET_API_KEY'] ?? (await secretLine(terminal));
    if (apiKey === '') throw new Misuse('No key came from stdin');
    const { id, name } = await new Carnet({ baseUrl, apiKey }).api.getOwnOperator();
    const file = await saveLogin(terminal, { base_url: baseUrl, api_key: apiKey });
    show({ operator_id: id, file }, () => `Logged in as ${plain(name)} (${id}). The key is kept in ${file}\n`);
    return 0;
  },

  async whoami({ terminal, show }) {
    const { api, baseUrl } = await clientOf(terminal);
    const [operator, balance] = await Promise.all([api.getOwnOperator(), api.getBalance()]);
    const { id, name } = operator;
    const { balance_cents: cents, held_cents: held } = balance;
    show({ operator_id: id, name, base_url: baseUrl, balance_cents: cents, held_cents: held }, () =>
      table([
        ['operator', `${name} (${id})`],
        ['service', baseUrl],
        ['balance', `${cents} cents, and ${held} held`],
      ]),
    );
    return 0;
  },

  async publish({ terminal, words: [file], show }) {
    if (file === undefined) throw new Misuse('publish needs the file of a skill, as JSON');
    const { provider } = await clientOf(terminal);
    const skill = await provider.publish(objectOf(await textOf(file), file) as unknown as PublishSkill);
    show(skill, () => `${skill.name} ${skill.version} is ${skill.status}: ${skill.id}\n`);
    return 0;
  },

  async search({ terminal, values, words, show }) {
    if (words.length === 0) throw new Misuse('search needs words');
    const { market } = await clientOf(terminal);
    const skills = await market.find(words.join(' '), {
      ...numbered('maxPriceCents', values, 'max-price'),
      ...numbered('limit', values, 'limit'),
      // The service names the orders that there are.
      ...(values.sort !== undefined && { sort: values.sort as Sort }),
    });
    show(skills, () =>
      skills.length === 0
        ? 'Nothing was found.\n'
        : table(skills.map((one) => [one.id, `${one.price_per_invocation} cents`, one.name, one.description])),
    );
    return 0;
  },

  async invoke({ terminal, values, words: [skill], show }) {
    if (skill === undefined) throw new Misuse('invoke needs the id of a skill, skl_…');
    if (!skill.startsWith('skl_')) throw new Misuse(`${skill} is no id of a skill, skl_…; carnet search finds it`);
    const { market } = await clientOf(terminal);
    const { signal } = terminal;
    const result = await market.invoke(skill, await inputOf(terminal, values.input), {
      ...numbered('maxPriceCents', values, 'max-price'),
      ...numbered('waitSeconds', values, 'wait'),
      ...(values.key !== undefined && { idempotencyKey: values.key }),
      ...(signal && { signal }),
    });
    showResult(show, result);
    return 0;
  },

  async runs({ terminal, values, words: [id], show }) {
    const { api, market } = await clientOf(terminal);
    if (id !== undefined) {
      const { signal } = terminal;
      showResult(
        show,
        await market.result(id, { ...numbered('waitSeconds', values, 'wait'), ...(signal && { signal }) }),
      );
      return 0;
    }
    const query = { query: { limit: 20, ...numbered('limit', values, 'limit') } };
    const list = values.provided ? api.listProvidedInvocations : api.listMyInvocations;
    const { invocations } = await list(query);
    show(invocations, () =>
      invocations.length === 0
        ? 'There are none.\n'
        : table(
            invocations.map((one) => [
              one.created_at,
              one.id,
              one.status,
              `${one.price_cents} cents`,
              one.error?.code ?? '',
            ]),
          ),
    );
    return 0;
  },

  async listen({ terminal, values }) {
    try {
      await listen(await clientOf(terminal), terminal, values);
    } catch (error) {
      if (!terminal.signal?.aborted) throw error;
    }
    return 0;
  },

  async trigger({ terminal, values, words: [name] }) {
    if (name === undefined) throw new Misuse('trigger needs an event, as passport.flagged');
    return (await trigger(await clientOf(terminal), terminal, { name, options: values })) ? 0 : 1;
  },

  async verify({ terminal, values, words: [what], show }) {
    if (what === undefined) throw new Misuse('verify needs a passport, the id of a claim, or a file with a claim');
    if (values.key !== undefined || values.policy !== undefined) return verifyOffline(what, values, show);
    const { api } = await clientOf(terminal, { anonymous: true });
    if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(what) && what.length > 100) {
      const verdict = await api.verifyPassport({ body: { token: what } });
      show(verdict, () =>
        verdict.valid ? `The passport is valid.\n` : `The passport is not valid: ${verdict.reason}\n`,
      );
      return verdict.valid ? 0 : 1;
    }
    const body = /^pc_\w+$/.test(what) ? { claim_id: what } : { envelope: await envelopeIn(what) };
    const verdict = await api.verifyClaim({ body });
    const why = verdict.errors.map((one) => `\n  ${plain(one)}`).join('');
    show(verdict, () => `The claim is ${verdict.status}.${why}\n`);
    return verdict.valid ? 0 : 1;
  },
};

const BUNDLE = 'The bundle of a claim is checked offline: give --key, the key of the log, or --policy';

/** Checks a bundle by the verifier of the project, without a call. @returns its exit code */
function verifyOffline(file: string, values: Values, show: Command['show']): number {
  try {
    const report = reportOn(file, values, BUNDLE);
    const { status, claim, findings, exitCode } = report;
    show({ status, claim, findings }, () => `${linesOf(report).map(plain).join('\n')}\n`);
    return exitCode;
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error));
  }
}

async function envelopeIn(file: string): Promise<Record<string, unknown>> {
  const envelope = objectOf(await claimIn(file), file);
  if (Object.hasOwn(envelope, 'bundle_version')) throw new Misuse(BUNDLE);
  return envelope;
}

function showResult(show: Command['show'], { id, output, costMicrocents }: Result): void {
  show(
    { id, output, cost_microcents: costMicrocents },
    () => `${plain(JSON.stringify(output, null, 2))}\n${costMicrocents / 1_000_000} cents  ${id}\n`,
  );
}

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(() => {
    throw new Misuse(`${plain(file)} cannot be read`);
  });

const claimIn = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(() => {
    throw new Misuse(`${file} is no passport, no id of a claim (pc_…), and no file that can be read`);
  });

/** `--input` is JSON, `-` for stdin, or a file. Left out: no members. */
async function inputOf(terminal: Terminal, given: string | undefined): Promise<Record<string, unknown>> {
  if (given === undefined) return {};
  if (given === '-') return objectOf(await readAll(terminal.input), 'stdin');
  return given.trimStart().startsWith('{') ? objectOf(given, '--input') : objectOf(await textOf(given), given);
}

function objectOf(text: string, from: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    throw new Misuse(`${plain(from)} is no JSON`);
  }
  throw new Misuse(`${plain(from)} is no JSON object`);
}

function numbered<Name extends string>(
  name: Name,
  values: Values,
  option: 'max-price' | 'limit' | 'wait',
): Partial<Record<Name, number>> {
  const text = values[option];
  if (text === undefined) return {};
  if (!/^\d{1,15}$/.test(text)) throw new Misuse(`--${option} needs a whole number`);
  return { [name]: Number(text) } as Partial<Record<Name, number>>;
}
