import assert from 'node:assert/strict';
import { readBody } from '../../../src/inbound/providers/read-body.ts';
import type { ScanInput } from '../../../src/inbound/reading/body.ts';
import { UnreadableBody } from '../../../src/inbound/reading/errors.ts';

const of = (provider: ScanInput['provider'], contentType: string | null, body: string): ScanInput => ({
  provider,
  contentType,
  body: Buffer.from(body),
});
const none = { eventId: undefined, endpointId: undefined, messageId: undefined };

describe('readBody', () => {
  it('reads event_id and endpoint_id of JSON, and of a mail in JSON its Message-ID, bare or under data', () => {
    assert.deepEqual(readBody(of('generic', null, '{"event_id":"e1","endpoint_id":"n1","message_id":"m"}')), {
      ...none,
      eventId: 'e1',
      endpointId: 'n1',
    });
    for (const body of ['{"message_id":"<m1>"}', '{"data":{"message_id":"<m1>"}}'])
      assert.equal(readBody(of('mail_provider', 'application/json', body)).messageId, '<m1>');
    assert.deepEqual(readBody(of('generic', 'text/plain', '[1]')), none);
  });

  it('reads the Message-ID of a raw mail, folded and in any case, and not of its body', () => {
    const mail = 'Subject: a\r\nMESSAGE-id:\r\n <m2@example.com>\r\n\r\nMessage-ID: <other@example.com>';
    assert.deepEqual(readBody(of('mail_provider', 'message/rfc822', mail)), {
      ...none,
      messageId: '<m2@example.com>',
    });
    assert.equal(
      readBody(of('mail_provider', null, 'Subject: a\r\n\r\nMessage-ID: <other@example.com>')).messageId,
      undefined,
    );
  });

  it('reads the Message-ID of both kinds of forms', () => {
    const urlencoded = of('mail_provider', 'application/x-www-form-urlencoded', 'Message-Id=%3Cm3%3E&from=a');
    const text = '--b\r\nContent-Disposition: form-data; name="Message-Id"\r\n\r\n<m3>\r\n--b--\r\n';
    const multipart = of('mail_provider', 'multipart/form-data; boundary=b', text);
    for (const form of [urlencoded, multipart]) assert.deepEqual(readBody(form), { ...none, messageId: '<m3>' });
  });

  it('refuses too many values and fields, and takes a mail with as many commas', () => {
    const many = '[1,'.concat('1,'.repeat(30_000), '1]');
    for (const provider of ['generic', 'mail_provider'] as const)
      assert.throws(() => readBody(of(provider, 'application/json', many)), /25,000 values/);
    const fields = 'a=b&'.repeat(1_001);
    assert.throws(() => readBody(of('mail_provider', 'application/x-www-form-urlencoded', fields)), /1000 fields/);
    assert.deepEqual(readBody(of('mail_provider', 'message/rfc822', `Subject: a\r\n\r\n${many}`)), none);
  });

  it('refuses what is none of its kind', () => {
    for (const [provider, contentType, body] of [
      ['generic', 'application/json', '{'],
      ['generic', null, '{"a":1,"a":2}'],
      ['generic', null, 'From: a@b.example\r\n\r\nhello'],
      ['mail_provider', 'application/json', 'x'],
      ['mail_provider', null, 'hello'],
      ['mail_provider', 'multipart/form-data', '--b'],
    ] as const)
      assert.throws(() => readBody(of(provider, contentType, body)), UnreadableBody, body);
  });
});
