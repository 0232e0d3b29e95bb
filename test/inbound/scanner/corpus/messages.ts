import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScanInput } from '../../../../src/inbound/reading/body.ts';

export type Half = 'develop' | 'measure';

/** One message of the corpus: what is sent, and where its parts are from. */
export interface Message {
  name: string;
  family: string;
  isHostile: boolean;
  input: ScanInput;
}

/** Escapes of one line each: `\n` is a line break. */
const linesOf = (half: Half, file: string): string[] =>
  readFileSync(join(import.meta.dirname, half, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('\\n', '\n'));

/**
 * All messages of a half. Each order and each look-alike was written by hand and stands in two carriers, mails of everyday that were written by hand
 * too; no order, look-alike or carrier is in both halves.
 */
export function messagesOf(half: Half): Message[] {
  const carriers = linesOf(half, 'carriers.txt');
  const carrier = (index: number): string => carriers[index % carriers.length] ?? '{}';
  const hostile = linesOf(half, 'hostile.txt').flatMap((line, index) => {
    const [family = '', delivery = '', ...rest] = line.split('|');
    const order = rest.join('|');
    return [index * 2, index * 2 + 1].map((at) => ({
      name: `${half}/hostile.txt:${index + 1} in carrier ${(at % carriers.length) + 1}`,
      family: `${family} (${delivery})`,
      isHostile: true,
      input: delivered(carrier(at), order, delivery),
    }));
  });
  const harmless = (half === 'measure' ? ['harmless.txt', TWINS] : ['harmless.txt']).flatMap((file) =>
    linesOf(half, file).flatMap((line, index) => {
      const [family = '', ...rest] = line.split('|');
      const text = rest.join('|');
      return [index * 2 + 1, index * 2 + 4].map((at) => ({
        name: `${half}/${file}:${index + 1} in carrier ${(at % carriers.length) + 1}`,
        family,
        isHostile: false,
        input: delivered(carrier(at), text, text.startsWith('<') ? 'html' : 'plain'),
      }));
    }),
  );
  return [...hostile, ...harmless];
}

/** Twins of attacks, the same words with an innocent purpose, and harmless texts with words of attacks. */
const TWINS = 'twins.txt';

export const isTwin = ({ name }: Message): boolean => name.includes(`/${TWINS}:`);

const look: Readonly<Record<string, (order: string) => string>> = {
  html: (order) => order,
  css: (order) => `<div style="display:none">${escaped(order)}</div>`,
  white: (order) => `<span style="color:#fefefe">${escaped(order)}</span>`,
  tiny: (order) => `<font style="font-size:1px">${escaped(order)}</font>`,
  far: (order) => `<p style="position:absolute;left:-9999px">${escaped(order)}</p>`,
  clear: (order) => `<p style="opacity:0">${escaped(order)}</p>`,
  sheet: (order) => `<style>.n { visibility: hidden }</style><p class="n">${escaped(order)}</p>`,
  comment: (order) => `<!-- ${order} -->`,
  attribute: (order) => `<img src="https://cdn.example/p.png" alt="${escaped(order)}">`,
  hiddenattr: (order) => `<p hidden>${escaped(order)}</p>`,
  template: (order) => `<template>${escaped(order)}</template>`,
};

const asText: Readonly<Record<string, (order: string) => string>> = {
  plain: (order) => order,
  leet: (order) => order,
  markdown: (order) => order,
  zero: (order) => [...order].join('\u200b'),
  soft: (order) => order.replaceAll(/(?<=\w)(?=\w)/g, '\u00ad'),
  homoglyph: (order) => order.replaceAll('o', 'о').replaceAll('e', 'е').replaceAll('a', 'а').replaceAll('c', 'с'),
  fullwidth: (order) =>
    [...order]
      .map((letter) =>
        letter > ' ' && letter <= '~' ? String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0) : letter,
      )
      .join(''),
  math: (order) =>
    order.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(0x1d41a + (letter.codePointAt(0) ?? 0) - 0x61)),
  base64: (order) => `Reference: ${Buffer.from(order).toString('base64')}`,
  base64twice: (order) => `Reference: ${Buffer.from(Buffer.from(order).toString('base64')).toString('base64')}`,
  hex: (order) => `Trace: ${Buffer.from(order).toString('hex')}`,
  binary: (order) => [...Buffer.from(order)].map((byte) => byte.toString(2).padStart(8, '0')).join(' '),
  percent: (order) => [...Buffer.from(order)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  escapes: (order) =>
    [...order].map((letter) => `\\u${(letter.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`).join(''),
  tags: (order) =>
    `Thanks!${[...order].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')}`,
  selectors: (order) =>
    `Thanks!${[...Buffer.from(order)].map((byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16)).join('')}`,
  spaced: (order) => [...order.replaceAll(' ', '')].join(' '),
  rot13: (order) =>
    order.replaceAll(/[a-z]/gi, (letter) => {
      const base = letter <= 'Z' ? 65 : 97;
      return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
    }),
  reverse: (order) => [...order].toReversed().join(''),
};

/** A carrier with something in its place, in the form in which it arrives: JSON of a mail, a raw mail, a form, or an event. */
function delivered(carrier: string, order: string, delivery: string): ScanInput {
  if (carrier.startsWith('{') && !(delivery in look)) {
    const event = JSON.parse(carrier.replace('{}', '')) as Record<string, unknown>;
    for (const [name, value] of Object.entries(event)) if (value === '') event[name] = asText[delivery]?.(order);
    return { provider: 'generic', contentType: 'application/json', body: Buffer.from(JSON.stringify(event)) };
  }
  const mail: Record<string, string> = {
    from: 'Sam Lee <sam@partner.example>',
    to: 'ops@acme.example',
    subject: 'Hello',
  };
  const around = carrier.startsWith('{') ? 'Hello\n\n{}\n\nBye' : carrier;
  if (delivery in look)
    mail['html'] = `<html><body>${escaped(around)
      .replaceAll('\n', '<br>')
      .replace('{}', () => look[delivery]?.(order) ?? '')}</body></html>`;
  else mail['text'] = around.replace('{}', () => asText[delivery]?.(order) ?? missing(delivery));
  return { provider: 'mail_provider', contentType: 'application/json', body: Buffer.from(JSON.stringify(mail)) };
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const missing = (delivery: string): never => {
  throw new TypeError(`The corpus names the delivery "${delivery}", which does not exist.`);
};
