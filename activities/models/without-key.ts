/** A shorter one is no secret, as that of a server of one's own may be, and stands in any text. */
const MIN_KEY = 8;

/**
 * An answer without the key by which it was asked for, as it stands and in the forms in which servers repeat what they were sent: in JSON, in
 * an address, in hexadecimal, and anywhere in a text that is encoded in base64. The reader of the answer is not the owner of the key.
 */
export function withoutKey(text: string, key: string | undefined): string {
  if (key === undefined || key.length < MIN_KEY) return text;
  const forms = [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), Buffer.from(key).toString('hex')];
  for (const encoding of ['base64', 'base64url'] as const) forms.push(...partsInBase64(key, encoding));
  const escaped = [...new Set(forms)].map((form) => form.replaceAll(/[^\w]/g, String.raw`\$&`));
  return text.replaceAll(new RegExp(escaped.join('|'), 'gi'), '[key]');
}

/** Yields the part of a text in base64 that is made of the key alone, for each place of three at which it may begin. */
const partsInBase64 = (key: string, encoding: 'base64' | 'base64url'): string[] =>
  [0, 1, 2].map((before) =>
    Buffer.from(' '.repeat(before) + key)
      .toString(encoding)
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + key.length) * 8) / 6)),
  );
