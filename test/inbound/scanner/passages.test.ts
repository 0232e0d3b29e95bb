import assert from 'node:assert/strict';
import type { Passage } from '../../../src/context/ports.ts';
import type { Place } from '../../../src/inbound/scanner/verdict.ts';
import { passagesOf } from '../../../src/inbound/scanner/passages.ts';
import { makeBodyScanner } from '../../../src/inbound/scanner/scan.ts';
import { HOSTILE } from '../support/endpoints.ts';
import { jsonMail } from './support.ts';

const found = (place: string, start: number, end: number): Place => ({ place, span: { start, end } });
const selected = (place: string, text: string) => ({ place, text, isHtml: false });
const textOf = ({ parts }: Passage): string => parts.map(({ text }) => text).join('');
const lengthOf = ({ parts }: Passage): number =>
  parts.reduce((sum, { text, left_out: leftOut }) => sum + text.length + leftOut, 0);

describe('The passages of a body', () => {
  it('is all of a short mail, with what was found marked', async () => {
    const scanner = makeBodyScanner();
    const input = jsonMail({ to: 'agent@example.com', subject: 'Invoice', text: `Hello.\n${HOSTILE}\nBye.` });
    const { findings } = await scanner.scan(input);
    const { passages, places_left_out: others } = await scanner.passages(input, findings);
    assert.deepEqual(
      passages.map((passage) => [passage.place, textOf(passage)]),
      [
        ['from', 'Ana <ana@example.com>'],
        ['to', 'agent@example.com'],
        ['subject', 'Invoice'],
        ['text', `Hello.\n${HOSTILE}\nBye.`],
      ],
    );
    assert.equal(others, 0);
    const override = findings.findIndex(({ detector_key: key }) => key === 'instruction_override');
    const marked = passages.flatMap(({ parts }) => parts.filter((part) => part.findings.includes(override)));
    assert.match(marked.map(({ text }) => text).join(''), /Ignore all previous instructions/);
    assert.doesNotMatch(marked.map(({ text }) => text).join(''), /Hello|Bye/);
  });

  it('counts characters as findings do, and names each finding of what several mark', () => {
    const text = '😀😀abc😀def';
    const { passages } = passagesOf({ selected: [selected('text', text)] }, [found('text', 2, 6), found('text', 4, 7)]);
    assert.deepEqual(passages[0]?.parts, [
      { text: '😀😀', findings: [], left_out: 0 },
      { text: 'ab', findings: [0], left_out: 0 },
      { text: 'c😀', findings: [0, 1], left_out: 0 },
      { text: 'd', findings: [1], left_out: 0 },
      { text: 'ef', findings: [], left_out: 0 },
    ]);
  });

  it('has what stands around a finding however far down it is, and says how much is left out', () => {
    const text = `${'a'.repeat(1_000_000)}${HOSTILE}${'😀'.repeat(500_000)}`;
    const { passages } = passagesOf({ selected: [selected('text', text)] }, [
      found('text', 1_000_000, 1_000_000 + HOSTILE.length),
    ]);
    const [passage] = passages;
    assert(passage !== undefined);
    assert.deepEqual(
      passage.parts.map(({ text: { length }, findings, left_out }) => [length, findings, left_out]),
      [
        [8_000, [], 1_000_000 - 8_000 - 200],
        [200, [], 0],
        [HOSTILE.length, [0], 0],
        [200, [], 1_000_000 - 200],
      ],
    );
    assert.equal(passage.parts[2]?.text, HOSTILE);
    assert.equal(lengthOf(passage), text.length);
  });

  it('divides no character', () => {
    for (const before of ['', 'a']) {
      const text = `${before}${'😀'.repeat(20_000)}`;
      const marks = [found('text', 15_000, 15_001), found('text', 17_000, 19_000)];
      const [passage] = passagesOf({ selected: [selected('text', text)] }, marks).passages;
      assert(passage !== undefined);
      assert.doesNotMatch(textOf(passage), /\ufffd/);
      assert.equal(lengthOf(passage), text.length);
    }
  });

  it('is bounded, however much came and however much of it is marked', () => {
    const places = Array.from({ length: 25_000 }, (_, at) => selected(`/${at}`, 'x'.repeat(400)));
    const long = selected('/long', 'y'.repeat(5_000_000));
    const marks = Array.from({ length: 50 }, (_, at) => found('/long', at * 100_000, at * 100_000 + 90_000));
    const { passages, places_left_out: others } = passagesOf({ selected: [...places, long] }, marks);
    const shown = passages.map(textOf).join('').length;
    assert(shown <= 85_000, String(shown));
    assert.equal(passages.length + others, 25_001);
    const numbers = new Set(passages.flatMap(({ parts }) => parts.flatMap(({ findings }) => findings)));
    assert.equal(numbers.size, 50);
  });

  it('marks nothing where a finding names no place of it', () => {
    const { passages } = passagesOf({ selected: [selected('text', 'abc')] }, [found('', 0, 0), found('text', 9, 12)]);
    assert.deepEqual(passages, [{ place: 'text', parts: [{ text: 'abc', findings: [], left_out: 0 }] }]);
  });
});
