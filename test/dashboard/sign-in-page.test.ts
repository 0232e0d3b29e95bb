import assert from 'node:assert/strict';
import { buildOperator } from '../support/factories.ts';
import { mailedCode, mailsTo } from '../support/people.ts';
import { anonymous, assertProblem, assertStatus } from '../support/service.ts';

describe('GET /dashboard/sign-in', () => {
  it('is a page whose only script comes from the service, and that nobody may frame', async () => {
    const reply = await anonymous().get('/dashboard/sign-in');
    assertStatus(reply, 200);
    assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
    const policy = reply.headers.get('content-security-policy') ?? '';
    for (const rule of ["script-src 'self'", "frame-ancestors 'none'", "form-action 'self'"])
      assert(policy.includes(rule), rule);
    assert.equal(reply.headers.get('referrer-policy'), 'same-origin');
    assert.deepEqual(reply.text.match(/<script\b[^>]*>/g), ['<script src="/dashboard/sign-in.js" defer>']);
    assert.doesNotMatch(reply.text, /\son\w+=|\sstyle=/);
    const script = await anonymous().get('/dashboard/sign-in.js');
    assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
    assert(script.text.includes('/v1/dashboard/sessions/verify'));
  });

  it('is where the link of the mail leads, and signs nobody in: the code is still valid afterwards', async () => {
    const { email } = await buildOperator();
    const code = await mailedCode(email);
    const link = new URL(/^http\S+$/m.exec((await mailsTo(email))[0]?.text ?? '')?.[0] ?? '');
    for (const query of ['', `?code=${code}&email=${email}`]) {
      const opened = await anonymous().get(`${link.pathname}${query}`);
      assertStatus(opened, 200);
      assert.deepEqual(opened.headers.getSetCookie(), []);
    }
    assertStatus(await anonymous().post('/v1/dashboard/sessions/verify', { email, code }), 200);
  });

  it('is for reading', async () => {
    assertProblem(await anonymous().post('/dashboard/sign-in', {}), 'METHOD_NOT_ALLOWED');
  });
});
