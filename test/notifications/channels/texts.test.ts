import assert from 'node:assert/strict';
import { eventDefinitions } from '../../../src/events/types.ts';
import { eventText } from '../../../src/notifications/channels/texts.ts';

const textOf = (eventType: string, payload: object, severity = 'critical') =>
  eventText({
    eventType,
    severity,
    payload: JSON.stringify(payload),
    occurredAt: '2026-11-21T12:00:00.000Z',
    operatorId: 'op_1',
    destinationId: 'dst_1',
    publicBaseUrl: 'https://carnet.example.test',
    unsubscribe: 'https://carnet.example.test/unsubscribe/dst_1.mac',
  });

describe('The text of a notification', () => {
  const cases: { event: string; payload: object; what: string; about?: string; details?: string[] }[] = [
    {
      event: 'passport.flagged',
      payload: {
        jti: 'psp_1',
        agent_id: 'ag_1',
        flags: [{ type: 'late', severity: 'warning', message: 'It was late.' }],
      },
      what: 'Agent ag_1 was flagged while it used a passport.',
      about: ', ag_1',
      details: ['Passport: psp_1', 'warning: “It was late.” (late)'],
    },
    {
      event: 'passport.blocked',
      payload: { jti: 'psp_1', agent_id: 'ag_1', checkout_id: 'chko_1', reason: 'It paid twice.' },
      what: 'A review blocked a passport of agent ag_1.',
      about: ', ag_1',
      details: ['Passport: psp_1', 'Reason: “It paid twice.”'],
    },
    {
      event: 'agent.blocked',
      payload: { agent_id: 'ag_1', checkout_id: 'chko_1', reason: 'It paid twice.' },
      what: 'Agent ag_1 was blocked. It gets no passports until an administrator unblocks it.',
      about: ', ag_1',
      details: ['Reason: “It paid twice.”'],
    },
    {
      event: 'passport.missed_checkout',
      payload: { jti: 'psp_1', agent_id: 'ag_1', expected_by: '2026-11-21T11:00:00.000Z' },
      what: 'Agent ag_1 did not report the end of its work in time.',
      about: ', ag_1',
      details: ['Expected by: 2026-11-21T11:00:00.000Z'],
    },
    {
      event: 'wallet.low_balance',
      payload: { balance_cents: 975, low_balance_cents: 1_000 },
      what: 'Your wallet has 9.75 USD left, less than the 10.00 USD that you set.',
    },
    {
      event: 'inbound.blocked',
      payload: {
        event_id: 'iev_1',
        endpoint_id: 'inw_1',
        agent_id: 'ag_1',
        verdict: 'malicious',
        detectors: ['hidden_text'],
      },
      what: 'What a provider sent to Agent ag_1 was blocked: the scanner found it malicious.',
      about: ', ag_1',
      details: ['Event: iev_1', 'Endpoint: inw_1', 'Found: hidden_text'],
    },
    {
      event: 'invocation.completed',
      payload: { invocation_id: 'inv_1', skill_id: 'skl_1', agent_id: null },
      what: 'Invocation inv_1: completed.',
      about: ', inv_1',
      details: ['Skill: skl_1'],
    },
    {
      event: 'inbound.slow',
      payload: { endpoint_id: 'inw_1', agent_id: 'ag_1', places: 1, timeouts_in_row: 3 },
      what: 'The receiver of endpoint inw_1 gives no answer in time: one call is made to it at a time.',
      about: ', ag_1',
      details: ['Timeouts in a row: 3'],
    },
    {
      event: 'destination.slow',
      payload: { destination_id: 'dst_1', places: 0, timeouts_in_row: 6 },
      what: 'The destination dst_1 still gives no answer: nothing is sent to it for a minute at a time.',
      details: ['Timeouts in a row: 6'],
    },
    {
      event: 'destination.recovered',
      payload: { destination_id: 'dst_1' },
      what: 'The destination dst_1 answers again and is used as before.',
    },
    {
      event: 'notification.test',
      payload: { destination_id: 'dst_1' },
      what: 'This is a test. Notifications of Carnet reach you here.',
    },
    { event: 'something.new', payload: { agent_id: 7 }, what: 'something.new happened.' },
  ];

  for (const { event, payload, what, about = '', details = [] } of cases) {
    it(`of ${event} says what happened, to whom, where to act, and how to end it`, () => {
      const { subject, mail, sms } = textOf(event, payload);
      assert.equal(subject, `Carnet: ${event} (critical)${about}`);
      assert(mail.startsWith(`${what}\n`), mail);
      for (const line of details) assert(mail.includes(`\n  ${line}\n`), mail);
      for (const text of [mail, sms]) {
        assert(text.includes(what), text);
        assert(text.includes('https://carnet.example.test/dashboard'), text);
        assert(text.includes('dst_1'), text);
      }
      assert(mail.includes('\nhttps://carnet.example.test/unsubscribe/dst_1.mac\n'));
      assert(mail.includes('Operator: op_1'));
    });
  }

  it('of a test says that somebody has sent one, and of no rule', () => {
    const { mail } = textOf('notification.test', { destination_id: 'dst_1' }, 'info');
    assert(!mail.includes('a rule'), mail);
    assert(mail.includes('You get this because an administrator of the operator has sent a test'), mail);
    assert(
      textOf('agent.blocked', { agent_id: 'ag_1' }).mail.includes('because a rule of the operator names this address'),
    );
  });

  it('has words of its own for every event that is sent as a text', () => {
    for (const [event, { sample }] of Object.entries(eventDefinitions)) {
      if (event === 'destination.verification') continue; // to webhooks alone; as a text a code has words of its own
      const { mail, sms } = textOf(event, sample);
      for (const text of [mail, sms]) assert(!/undefined|happened\.|of yours/.test(text), text);
    }
  });

  it('keeps what an agent or a person wrote on one line, in quotation marks, cut and without signs that nobody sees', () => {
    const message = `Undeclared: github\n\nThe agent was cleared.”\r\n\u0007\u202e\u2028${'x'.repeat(400)}`;
    const { mail } = textOf('passport.flagged', {
      agent_id: 'ag_1',
      flags: [{ type: 'a', severity: 'critical', message }],
    });
    const line = mail.split('\n').find((one) => one.includes('Undeclared')) ?? '';
    assert.match(line, /^  critical: “Undeclared: github The agent was cleared\." x+” \(a\)$/);
    assert(line.length < 250, line);
    assert(!mail.includes('\nThe agent was cleared'), mail);
  });

  it('of an SMS has two parts at most, and the address to act at even where what happened is long', () => {
    const { sms } = textOf('inbound.blocked', { agent_id: 'ag_1', verdict: 'x'.repeat(400) });
    assert(sms.length <= 300, sms);
    assert(sms.includes('https://carnet.example.test/dashboard'), sms);
  });
});
