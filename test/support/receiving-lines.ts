import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ReceivedCall } from '../notifications/support/receiver.ts';
import { languagesOf } from './cases.ts';
import { blockOf } from './pasted.ts';

const run = promisify(execFile);

/** A request that a receiver judges, and what it must find. */
export interface Try {
  name: string;
  secret: string;
  headers: Record<string, string>;
  /** Base64. */
  raw: string;
  fits: boolean;
  fits_body: boolean;
}

export type Verdict = Pick<Try, 'fits' | 'fits_body'>;

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
    block: () => blockOf('docs/receiving-webhooks.md', 'typescript'),
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
    block: () => blockOf('docs/receiving-webhooks.md', 'python'),
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
    block: () => blockOf('docs/receiving-webhooks.md', 'go'),
    file: 'receiver.go',
    program: (lines: string) => `package main\n\nimport (\n\t"encoding/json"\n\t"os"\n)\n\n${lines}\n${GO_DRIVER}`,
    command: ['go', 'run'],
    needs: ['go', 'version'],
  },
} as const;
export type Language = keyof typeof LANGUAGES;

const canRun = ([command, ...args]: readonly string[]): Promise<boolean> =>
  run(command ?? '', args).then(
    () => true,
    () => false,
  );

export const languages = languagesOf(Object.keys(LANGUAGES) as Language[]);

/**
 * Judges requests with the lines of a language in docs/receiving-webhooks.md, in `folder`, and checks that each is judged as it must be. Where
 * the language is not installed its lines cannot be run; on the machines of CI all are.
 */
export async function judgeWith(language: Language, folder: string, tries: readonly Try[]): Promise<void> {
  const { block, file, program, command, needs } = LANGUAGES[language];
  if (!process.env['CI'] && !(await canRun(needs))) {
    process.stderr.write(`LEFT OUT: no ${language} here\n`);
    return;
  }
  await writeFile(join(folder, file), program((await block()).code));
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
}

/** A request as it arrived, its headers each one text. */
export const asSent = ({
  headers,
  body,
}: Pick<ReceivedCall, 'headers' | 'body'>): { headers: Record<string, string>; body: string } => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  body,
});
