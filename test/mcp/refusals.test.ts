import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { ErrorCodes, type ErrorCode } from '../../src/errors/codes.ts';
import { problemOf } from '../../src/http/problems.ts';
import { refusalsOf } from '../../src/http/refusals.ts';
import { cancel, get, invoke } from '../../src/invocations/routes.ts';
import { doorRefusal, formOfRefusal, nextSteps, toolRefusal } from '../../src/mcp/refusals.ts';
import { browse, read } from '../../src/skills/routes.ts';
import { ROOT } from '../support/pasted.ts';

const codes = Object.keys(ErrorCodes) as ErrorCode[];
const refusal = (code: ErrorCode): CarnetError =>
  new CarnetError(code, 'What was wrong, and what to do.', {
    errors: [{ path: 'input.text', message: 'is required', code: 'required' }],
    headers: { 'Retry-After': '7' },
  });
const problem = (error: CarnetError) => problemOf(error, { path: '/mcp#invoke_skill', requestId: 'r-1' });

describe('formOfRefusal', () => {
  it('has a form for every code of the API, and for nothing else', () => {
    assert.deepEqual(Object.keys(formOfRefusal), codes);
  });

  for (const code of codes)
    it(`says for ${code} which code, what, where and what to do`, () => {
      const error = refusal(code);
      const form = formOfRefusal[code];
      const whole = problem(error);
      const { error: rpc } = doorRefusal(error, whole);
      assert.deepEqual(rpc.data, whole);
      assert.equal(rpc.message, error.message);
      assert(Number.isInteger(rpc.code) && rpc.code < 0);
      if (form === 'fault' || form === 'http') return;
      const { content, isError, _meta: meta } = toolRefusal(error, whole);
      assert.equal(isError, true);
      assert.deepEqual(content, [
        {
          type: 'text',
          text: `${code}: What was wrong, and what to do.\ninput.text: is required\n${nextSteps[form]}`,
        },
      ]);
      assert.deepEqual(meta, { 'carnet/problem': whole, 'carnet/next': form, 'carnet/retry_after_seconds': 7 });
    });

  it('leaves no refusal of a tool to HTTP', () => {
    const beforeTools: readonly string[] = ['UNAUTHENTICATED', 'ORIGIN_FORBIDDEN', 'REQUEST_TIMEOUT'];
    const ofBodies: readonly string[] = ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
    for (const route of [browse, read, invoke, get, cancel])
      for (const code of refusalsOf(route))
        assert(
          formOfRefusal[code] !== 'http' || [...beforeTools, ...ofBodies].includes(code),
          `${route.operation} answers ${code}`,
        );
  });

  it('is the table of docs/mcp.md', async () => {
    const page = await readFile(join(ROOT, 'docs/mcp.md'), 'utf8');
    for (const [step, words] of Object.entries(nextSteps)) {
      const row = new RegExp(`^\\| \`${step}\` \\| (.*) \\| (.*) \\|$`, 'm').exec(page);
      assert(row !== null, `docs/mcp.md has no row of ${step}`);
      assert.equal(row[1], words);
      assert.deepEqual(
        row[2]?.match(/[A-Z_0-9]{4,}/g),
        codes.filter((code) => formOfRefusal[code] === step),
      );
    }
  });
});
