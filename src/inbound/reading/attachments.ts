import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';

/** An attachment as it is forwarded: its content is not scanned, so it does not leave. `size` is in bytes, `sha256` in hex. */
export interface Attachment {
  name: string;
  size: number;
  sha256: string;
  content_type: string;
}

export const attachmentOf = (name: string, contentType: string, content: Uint8Array): Attachment => ({
  name: name.toWellFormed(),
  size: content.byteLength,
  sha256: hash('sha256', content, 'hex'),
  content_type: contentType.toWellFormed(),
});

/** Names of members as providers spell them, without case and signs, the better one first. */
const NAMES = ['filename', 'name', 'attachmentname', 'title'];
const TYPES = ['contenttype', 'mimetype', 'mediatype', 'type'];
const CONTENTS = [
  'content',
  'data',
  'contentbytes',
  'contentbase64',
  'base64',
  'base64content',
  'base64data',
  'contents',
  'filedata',
  'filecontent',
  'bytes',
  'body',
  'raw',
  'buffer',
  'blob',
];

/** A media type that is no text: a part of a mail that is one is read as one. */
const MEDIA = /^(?!text\/)[a-z]{3,15}\/[\w.+-]/i;

/** Keys, hashes and tokens are shorter: SHA-512 in hexadecimal has 128 signs. What is shorter than this is scanned as a text, as every text is. */
const LEAST_BASE64 = 160;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * A JSON value without the contents of attachments, wherever they stand and however their members are spelled: what stands in a member
 * named `attachments`, and every object with a file name, or a media type that is no text, beside content in base64. Each is replaced by what may leave of it. An attachment
 * without content, a link to one, stays as it is. What has none is returned itself.
 */
export function withoutContents(value: JsonValue, isAttachment = false): JsonValue {
  if (typeof value === 'string')
    return isAttachment && isBase64(value) ? { ...attachmentOf('', '', bytesOfText(value)) } : value;
  if (Array.isArray(value)) {
    const kept = value.map((item) => withoutContents(item, isAttachment));
    return kept.every((item, index) => item === value[index]) ? value : kept;
  }
  if (!isJsonObject(value)) return value;
  const replaced = attachmentIn(value, isAttachment);
  if (replaced !== undefined) return { ...replaced };
  let kept = value;
  for (const [name, member] of Object.entries(value)) {
    const without = withoutContents(member, isAttachment || plain(name).includes('attachment'));
    if (without === member) continue;
    if (kept === value) kept = { ...value };
    kept[name] = without;
  }
  return kept;
}

function attachmentIn(value: JsonObject, isAttachment: boolean): Attachment | undefined {
  const members = new Map(Object.entries(value).map(([name, member]) => [plain(name), member]));
  const text = (names: readonly string[]): string =>
    names.map((name) => members.get(name)).find((member) => typeof member === 'string') ?? '';
  const [name, type] = [text(NAMES), text(TYPES)];
  const isFile = isAttachment || text(['filename']) !== '' || /\.\w{1,5}$/.test(name);
  if (!isFile && !MEDIA.test(type)) return undefined;
  for (const key of CONTENTS) {
    const member = members.get(key);
    // An object with a type and a body may be a whole event.
    if (isJsonObject(member) && !isFile) continue;
    const content = bytesOf(member, isAttachment);
    if (content !== undefined) return attachmentOf(name, type, content);
  }
  return undefined;
}

/** Content as providers write it: base64, a data URL, a list of bytes, or one of these in an object. */
function bytesOf(content: JsonValue | undefined, isAttachment: boolean): Uint8Array | undefined {
  if (typeof content === 'string') return isAttachment || isBase64(content) ? bytesOfText(content) : undefined;
  if (Array.isArray(content))
    return content.length > 0 && content.every((byte) => typeof byte === 'number')
      ? Uint8Array.from(content)
      : undefined;
  if (!isJsonObject(content)) return undefined;
  for (const [name, member] of Object.entries(content))
    if (CONTENTS.includes(plain(name)) && !isJsonObject(member)) {
      const bytes = bytesOf(member, isAttachment);
      if (bytes !== undefined) return bytes;
    }
  return undefined;
}

const isBase64 = (text: string): boolean => {
  if (/^data:[^,]{0,200},/.test(text)) return true;
  const bare = text.replaceAll(/[\r\n]/g, '');
  return bare.length >= LEAST_BASE64 && BASE64.test(bare);
};

const bytesOfText = (text: string): Buffer => Buffer.from(text.replace(/^data:[^,]{0,200},/, ''), 'base64');

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
