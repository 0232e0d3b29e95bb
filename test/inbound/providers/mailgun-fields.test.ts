import assert from 'node:assert/strict';
import { mailgunFields } from '../../../src/inbound/providers/mailgun-fields.ts';

const FIELDS = { timestamp: '1700000000', token: 'a'.repeat(50), signature: 'f'.repeat(64) };
const FORM = 'application/x-www-form-urlencoded';
const PARTS = 'multipart/form-data; boundary="=_b"';

const fieldsIn = (contentType: string | null, body: string) => mailgunFields(contentType, Buffer.from(body));
const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();
const part = (
  name: string,
  value: string,
  { more = '', headers = '' }: { more?: string; headers?: string } = {},
): string => `--=_b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n${headers}\r\n${value}\r\n`;
const parts = (...those: string[]): string => `${those.join('')}--=_b--\r\n`;
const signed = Object.entries(FIELDS).map(([name, value]) => part(name, value));

describe('The fields that Mailgun signs', () => {
  const mail = 'x'.repeat(5_000_000);
  const found: [where: string, contentType: string | null, body: string][] = [
    ['a form', FORM, form(FIELDS)],
    ['a form, behind a mail', `${FORM}; charset=utf-8`, form({ 'body-plain': mail, ...FIELDS })],
    ['a form, before a mail', FORM, form({ ...FIELDS, 'body-plain': mail })],
    ['a form, between texts that look alike', FORM, form({ 'my-timestamp': '1', a: '&token=b', ...FIELDS })],
    ['a form, the first of each name', FORM, `${form(FIELDS)}&${form({ ...FIELDS, token: 'other' })}`],
    ['parts', PARTS, parts(...signed)],
    ['parts, behind a mail', PARTS, parts(part('body-plain', mail), ...signed)],
    ['parts, before a mail', PARTS, parts(...signed, part('body-plain', mail))],
    ['parts, the first of each name', PARTS, parts(...signed, part('token', 'other'))],
    [
      'parts, beside a mail that quotes others and a file of the name',
      PARTS,
      parts(
        part('body-plain', 'Content-Disposition: form-data; name="token"\r\n\r\nother'),
        part('token', 'other', { more: '; filename="token"' }),
        ...signed,
      ),
    ],
    [
      'parts with headers of their own',
      PARTS,
      parts(
        ...Object.entries(FIELDS).map(([name, value]) =>
          part(name, value, { more: '', headers: 'Content-Type: text/plain\r\n' }),
        ),
      ),
    ],
    ['JSON', 'application/json', JSON.stringify({ 'event-data': { id: 'x' }, signature: FIELDS })],
    ['JSON, beside one another', 'application/json', JSON.stringify({ ...FIELDS, subject: 'x' })],
    ['JSON without a type', null, JSON.stringify({ signature: FIELDS })],
  ];
  for (const [where, contentType, body] of found) {
    it(`are found in ${where}`, () => {
      assert.deepEqual(fieldsIn(contentType, body), FIELDS);
    });
  }

  it('are decoded in a form', () => {
    assert.deepEqual(fieldsIn(FORM, form({ ...FIELDS, token: 'a b&c=ü' })), { ...FIELDS, token: 'a b&c=ü' });
  });

  const missing: [what: string, contentType: string | null, body: string][] = [
    ['a form without one of them', FORM, form({ timestamp: '1', token: 'a' })],
    ['a form with an empty one', FORM, form({ ...FIELDS, token: '' })],
    ['a form with one of more than 512 bytes', FORM, form({ ...FIELDS, token: 'a'.repeat(513) })],
    ['parts without one of them', PARTS, parts(...signed.slice(1))],
    ['parts with one of more than 512 bytes', PARTS, parts(...signed.slice(1), part('timestamp', '1'.repeat(513)))],
    ['parts behind a thousand others', PARTS, parts(part('a', 'b').repeat(1_000), ...signed)],
    ['parts whose Content-Type has no boundary', 'multipart/form-data', parts(...signed)],
    ['parts of another boundary', 'multipart/form-data; boundary=c', parts(...signed)],
    ['JSON of more than 64 KiB', 'application/json', JSON.stringify({ signature: FIELDS, a: 'x'.repeat(65_536) })],
    ['JSON that is broken', 'application/json', '{"signature":'],
    ['a raw mail', 'message/rfc822', 'Subject: a\r\n\r\nb'],
    ['nothing', null, ''],
    ['a form of nothing', FORM, ''],
    ['parts of nothing', PARTS, ''],
  ];
  for (const [what, contentType, body] of missing) {
    it(`are not found in ${what}`, () => {
      assert.equal(fieldsIn(contentType, body), null);
    });
  }
});
