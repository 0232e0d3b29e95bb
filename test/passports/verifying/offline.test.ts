import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEncryption } from '../../../src/context/encryption.ts';
import { listSigningKeys } from '../../../src/passports/keys/queries.ts';
import { SigningKey } from '../../../src/passports/keys/signing-key.ts';
import { grant } from '../../authority/support.ts';
import { intent, submit } from '../../claims/support.ts';
import { languagesOf } from '../../support/cases.ts';
import { eventually } from '../../support/eventually.ts';
import { blockOf, ROOT, type Block } from '../../support/pasted.ts';
import { assertStatus, database, service } from '../../support/service.ts';
import { issue, openHolder, payloadOf, type Holder } from '../holders.ts';
import { jws } from '../tokens.ts';

/** A call that an offline verifier decides about. */
interface Try {
  name: string;
  token: string;
  service: string;
  scope: string;
  call: Record<string, unknown>;
  /** Whether it must be admitted. */
  admitted: boolean;
}

/** A program that reads tries from its last argument and prints the outcome of each. */
interface Program {
  command: string;
  args: string[];
}

/** How the code of the page is run, with the lines that make a program of it. */
interface LanguageOfPage {
  /** The command that shows that this machine has it. */
  needs: [command: string, ...args: string[]];
  block(): Promise<Block>;
  program(code: string, folder: string): Promise<Program>;
}

const LANGUAGES: Record<'typescript' | 'python' | 'go', LanguageOfPage> = {
  typescript: {
    needs: [process.execPath, '--version'],
    block: () => blockOf('docs/offline-verification.md', 'typescript'),
    program: async (code) => ({
      command: process.execPath,
      args: [
        '--input-type=module-typescript',
        '--no-warnings',
        '-e',
        `${code}
      const outcomes = [];
      for (const { token, service, scope, call } of JSON.parse(process.argv[1])) {
        outcomes.push(await admit(token, service, scope, call).then(({ jti }) => jti, (error) => 'refused: ' + error.message));
      }
      console.log(JSON.stringify(outcomes));`,
      ],
    }),
  },
  python: {
    needs: ['python3', '-c', 'import cryptography'],
    block: () => blockOf('docs/offline-verification.md', 'python'),
    program: async (code) => ({
      command: 'python3',
      args: [
        '-c',
        `${code}
import sys
outcomes = []
for one in json.loads(sys.argv[1]):
    try:
        outcomes.append(admit(one["token"], one["service"], one["scope"], one["call"])["jti"])
    except Exception as error:
        outcomes.append("refused: " + type(error).__name__ + " " + str(error))
print(json.dumps(outcomes))`,
      ],
    }),
  },
  go: {
    needs: ['go', 'version'],
    block: () => blockOf('docs/offline-verification.md', 'go'),
    async program(code, folder) {
      await writeFile(join(folder, 'go.mod'), 'module offline\n\ngo 1.22\n');
      await writeFile(join(folder, 'passports.go'), code.replace(/^package passports$/m, 'package main'));
      await writeFile(
        join(folder, 'main.go'),
        `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	var tries []struct {
		Token, Service, Scope string
		Call                  map[string]any
	}
	if err := json.Unmarshal([]byte(os.Args[1]), &tries); err != nil {
		panic(err)
	}
	outcomes := []string{}
	for _, one := range tries {
		if passport, err := Admit(one.Token, one.Service, one.Scope, one.Call); err != nil {
			outcomes = append(outcomes, "refused: "+err.Error())
		} else {
			outcomes = append(outcomes, passport.Jti)
		}
	}
	text, _ := json.Marshal(outcomes)
	fmt.Println(string(text))
}
`,
      );
      await run('go', ['vet', '.'], { cwd: folder });
      await run('go', ['build', '-o', 'offline', '.'], { cwd: folder });
      return { command: join(folder, 'offline'), args: [] };
    },
  },
};
type Language = keyof typeof LANGUAGES;

const run = promisify(execFile);

/** @param issuer what the program takes for the address of the service */
async function played({ command, args }: Program, tries: Try[], issuer = service().baseUrl): Promise<string[]> {
  const { stdout } = await run(command, [...args, JSON.stringify(tries)], {
    cwd: ROOT,
    env: { ...process.env, CARNET: issuer },
    timeout: 60_000,
  });
  return JSON.parse(stdout) as string[];
}

const runs = (command: string, ...args: string[]): Promise<boolean> =>
  run(command, args).then(
    () => true,
    () => false,
  );

/** The instance's own key, to sign what the service would not. */
async function instanceKey(): Promise<SigningKey> {
  const secret = Buffer.from(await readFile(join(service().dataDir, 'encryption.key'), 'utf8'), 'base64');
  const row =
    (await listSigningKeys(await database())).find(({ status }) => status === 'active') ??
    assert.fail('no key is active');
  return new SigningKey(row, createEncryption([secret]));
}

const CONSTRAINTS = [
  { param: 'repository', op: 'prefix', value: 'ada/' },
  { param: 'draft', op: 'eq', value: true },
  { param: 'labels', op: 'in', value: ['bug', 1, null] },
  { param: 'limit', op: 'lte', value: 10 },
  { param: 'limit', op: 'gte', value: 1.5 },
];
const FINE = { repository: 'ada/engine', draft: true, labels: 'bug', limit: 5 };

for (const language of languagesOf(Object.keys(LANGUAGES) as Language[])) {
  const { needs } = LANGUAGES[language];
  if (!(await runs(...needs))) {
    process.stderr.write(`LEFT OUT: offline verification in ${language}; ${needs.join(' ')} fails.\n`);
    continue;
  }
  describe(`docs/offline-verification.md in ${language}`, () => {
    let holder: Holder;
    let token: string;
    let folder: string;
    let program: Program;
    before(async function () {
      this.timeout(300_000); // Go compiles its own library the first time
      folder = await mkdtemp(join(tmpdir(), 'carnet-offline-'));
      const { block, program: programOf } = LANGUAGES[language];
      program = await programOf((await block()).code, folder);
    });
    after(() => rm(folder, { recursive: true, force: true }));
    before(async () => {
      holder = await openHolder();
      await grant(
        holder.as,
        { agentId: holder.agentId, connectionId: holder.code.id },
        { constraints: CONSTRAINTS, scopes: ['read', 'write'] },
      );
      ({ token } = await issue(holder));
    });

    const expectOutcomes = async (tries: Try[]): Promise<string[]> => {
      const outcomes = await played(program, tries);
      const seen = outcomes.map((outcome, at) => [tries[at]?.name, !outcome.startsWith('refused')]);
      assert.deepEqual(
        seen,
        tries.map(({ name, admitted }) => [name, admitted]),
        outcomes.join('\n'),
      );
      return outcomes;
    };
    const attempt = (name: string, admitted: boolean, change: Partial<Try> = {}): Try => ({
      name,
      admitted,
      token,
      service: 'github',
      scope: 'read',
      call: FINE,
      ...change,
    });

    it('admits what the passport allows, and nothing beyond its scopes and constraints', async () => {
      const call = (change: Record<string, unknown>) => ({ call: { ...FINE, ...change } });
      const [outcome] = await expectOutcomes([
        attempt('a call within every constraint', true),
        attempt('another scope of the same', true, { scope: 'write' }),
        attempt('a scope that was not granted', false, { scope: 'admin' }),
        attempt('the other service, without constraints', true, { service: 'slack', call: {} }),
        attempt('a service it does not know', false, { service: 'gitlab' }),
        attempt('another prefix', false, call({ repository: 'eve/engine' })),
        attempt('no repository', false, call({ repository: undefined })),
        attempt('a repository that is no text', false, call({ repository: ['ada/'] })),
        attempt('not a draft', false, call({ draft: false })),
        attempt('1 instead of true', false, call({ draft: 1 })),
        attempt('a number that is in the list', true, call({ labels: 1 })),
        attempt('null, which is in the list', true, call({ labels: null })),
        attempt('true, which is not', false, call({ labels: true })),
        attempt('too many', false, call({ limit: 10.5 })),
        attempt('as many as may be', true, call({ limit: 10 })),
        attempt('too few', false, call({ limit: 1 })),
        attempt('a number in words', false, call({ limit: '5' })),
      ]);
      assert.equal(outcome, payloadOf(token).jti);
    });

    it('refuses forged, expired and foreign tokens, and a status list in place of a passport', async () => {
      const key = await instanceKey();
      const payload = payloadOf(token);
      const header = (change: Record<string, unknown>): string =>
        JSON.stringify({ alg: 'EdDSA', kid: key.kid, typ: 'JWT', ...change });
      const { privateKey } = generateKeyPairSync('ed25519');
      const list = await (await fetch(payload.status?.status_list.uri ?? '')).text();
      const past = { ...payload, iat: payload.iat - 900, exp: payload.iat - 1 };
      await expectOutcomes([
        attempt('signed again by us', true, { token: key.sign(JSON.stringify(payload)) }),
        attempt('signed by somebody else', false, { token: jws(header({}), JSON.stringify(payload), privateKey) }),
        attempt('of an unknown key', false, {
          token: jws(header({ kid: 'theirs' }), JSON.stringify(payload), privateKey),
        }),
        attempt('not signed', false, {
          token: jws(header({ alg: 'none' }), JSON.stringify(payload), () => Buffer.alloc(0)),
        }),
        attempt('with another payload', false, {
          token: token.replace(
            /\.[^.]+\./,
            `.${Buffer.from(JSON.stringify({ ...payload, exp: payload.exp + 1 })).toString('base64url')}.`,
          ),
        }),
        attempt('expired', false, { token: key.sign(JSON.stringify(past)) }),
        attempt('of another issuer', false, {
          token: key.sign(JSON.stringify({ ...payload, iss: 'https://elsewhere.example' })),
        }),
        attempt('a status list', false, { token: list }),
        attempt('no token', false, { token: 'a.b.c' }),
      ]);
    });

    it('refuses a passport whose audience does not have the service', async () => {
      const scopes = [holder.code, holder.chat].map(({ id }) => ({ service_connection_id: id, scopes: ['read'] }));
      const forSlack = await issue(holder, { scopes, audience: ['slack'] });
      const forBoth = await issue(holder, { scopes, audience: ['slack', 'github'] });
      const forNobody = assertStatus(
        await holder.as.post<{ token: string }>('/v1/passports/delegate', {
          parent_passport_token: forBoth.token,
          child_agent_id: holder.agentId,
          scopes: [],
        }),
        201,
      );
      const emptied = (await instanceKey()).sign(JSON.stringify({ ...payloadOf(token), aud: [] }));
      await expectOutcomes([
        attempt('at the service of its audience', true, { token: forSlack.token, service: 'slack', call: {} }),
        attempt('at another service that it has scopes for', false, { token: forSlack.token }),
        attempt('at one of two', true, { token: forBoth.token }),
        attempt('at the other', true, { token: forBoth.token, service: 'slack', call: {} }),
        attempt('of nobody', false, { token: forNobody.token }),
        attempt('of nobody, with scopes', false, { token: emptied }),
      ]);
    });

    it('names both issuers where the passport is of another than the verifier trusts', async () => {
      const elsewhere = service().baseUrl.replace('127.0.0.1', 'localhost');
      const [outcome = ''] = await played(program, [attempt('as localhost', false)], elsewhere);
      assert.match(outcome, /^refused: /);
      for (const issuer of [service().baseUrl, elsewhere])
        assert(outcome.includes(`${issuer} `) || outcome.includes(`${issuer},`), outcome);
    });

    it('does not take a parameter that is missing for one that is null', async () => {
      const { token: nulled } = await issue(holder, {
        scopes: [
          {
            service_connection_id: holder.chat.id,
            scopes: ['read'],
            constraints: [{ param: 'thread', op: 'eq', value: null }],
          },
        ],
      });
      const of = (name: string, admitted: boolean, call: Record<string, unknown>): Try =>
        attempt(name, admitted, { token: nulled, service: 'slack', call });
      await expectOutcomes([of('null', true, { thread: null }), of('nothing', false, {})]);
    });

    it('finds a revocation in the status list, of the passport itself and of an ancestor', async () => {
      const [kept, revoked] = [await issue(holder), await issue(holder)];
      const child = assertStatus(
        await holder.as.post<{ token: string }>('/v1/passports/delegate', {
          parent_passport_token: revoked.token,
          child_agent_id: holder.agentId,
          scopes: [{ service_connection_id: holder.code.id, scopes: ['read'] }],
        }),
        201,
      );
      const tries = (admitted: boolean) => [
        attempt('one that stays', true, { token: kept.token }),
        attempt('one that is revoked', admitted, { token: revoked.token }),
        attempt('one that was delegated from it', admitted, { token: child.token }),
      ];
      await expectOutcomes(tries(true));
      assertStatus(await holder.as.post('/v1/passports/revoke', { jti: revoked.jti }), 200);
      await eventually('the list to show it', async () =>
        (await played(program, tries(false))).slice(1).every((outcome) => outcome.startsWith('refused')),
      );
      await expectOutcomes(tries(false));
    });

    it('limits a call to the intents of the passport', async () => {
      const { id: claim } = await submit(holder.as, {
        subject: `carnet://agent/${holder.agentId}`,
        claim_type: 'intent_claim',
        payload: intent({ agent_id: holder.agentId }),
      });
      const issued = await issue(holder, {
        scopes: [{ service_connection_id: holder.chat.id, scopes: ['read'], intents: [claim] }],
      });
      const { target, action } = intent();
      const of = (name: string, admitted: boolean, call: Record<string, unknown>): Try =>
        attempt(name, admitted, { token: issued.token, service: 'slack', call });
      await expectOutcomes([
        of('for the intent', true, { intent: { claim, target, action } }),
        of('for the intent, its members in another order', true, { intent: { action, target, claim } }),
        of('for another target', false, { intent: { claim, target: 'elsewhere', action } }),
        of('for no intent', false, {}),
      ]);
    });

    it('matches a pattern with the whole value where there is an engine of linear time, and refuses it elsewhere', async () => {
      const version = [{ param: 'version', op: 'regex', value: 'v[0-9]+|latest' }];
      const { token: patterned } = await issue(holder, {
        scopes: [{ service_connection_id: holder.chat.id, scopes: ['read'], constraints: version }],
      });
      const engine = language !== 'python' || (await runs('python3', '-c', 'import re2'));
      const of = (name: string, admitted: boolean, value: unknown): Try =>
        attempt(name, admitted, { token: patterned, service: 'slack', call: { version: value } });
      await expectOutcomes([
        of('that it matches', engine, 'v12'),
        of('that its other half matches', engine, 'latest'),
        of('that it matches in part', false, 'v12-beta'),
        of('that is no text', false, 12),
      ]);
    });
  });
}
