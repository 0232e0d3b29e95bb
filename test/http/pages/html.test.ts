import assert from 'node:assert/strict';
import { html } from '../../../src/http/pages/html.ts';
import { shell } from '../../../src/http/pages/shell.ts';

const hostile = `"><script>alert('1')</script>&amp;`;
const asText = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;';

describe('a template of HTML', () => {
  it('escapes what is put in, in text and in quoted attributes', () => {
    assert.equal(html`<b title="${hostile}">${hostile}</b>`.text, `<b title="${asText}">${asText}</b>`);
  });

  it('leaves HTML as it is, alone and in lists', () => {
    assert.equal(
      html`<ul>${[html`<li>${'<'}</li>`, html`<li>${2}</li>`]}</ul>`.text,
      '<ul><li>&lt;</li><li>2</li></ul>',
    );
  });

  const codes: [what: string, text: string, shown: string][] = [
    ['turns the direction', '\u202a\u202e\u2066\u2069', '[U+202A][U+202E][U+2066][U+2069]'],
    ['marks a direction', 'pay\u200e\u200f\u061c', 'pay[U+200E][U+200F][U+061C]'],
    ['has no width', 'ad\u200bmin\u00ad\u2060\ufeff', 'ad[U+200B]min[U+00AD][U+2060][U+FEFF]'],
    ['is a blank letter', '\u3164\u115f\u17b4', '[U+3164][U+115F][U+17B4]'],
    ['is a tag', '\u{e0041}', '[U+E0041]'],
    ['chooses a variant of a letter', 'a\ufe0f1\ufe0f\u{e0100}', 'a[U+FE0F]1[U+FE0F][U+E0100]'],
    ['is of nobody, or a control', '\ue000\u0007\u0085\u2028', '[U+E000][U+0007][U+0085][U+2028]'],
    ['joins letters that are written apart', 'ad\u200dmin\u200c', 'ad[U+200D]min[U+200C]'],
    ['joins twice', 'می\u200c\u200cخواهم', 'می\u200c[U+200C]خواهم'],
    ['joins an emoji to a word', '👩\u200dx', '👩[U+200D]x'],
  ];
  for (const [what, text, shown] of codes)
    it(`shows what ${what} as its code`, () => assert.equal(html`${text}`.text, shown));

  const left: [what: string, text: string][] = [
    ['lines and tabs', 'a\tb\r\nc'],
    ['a Persian word', 'می\u200cخواهم'],
    ['a Hindi word', 'क्\u200dष क्\u200cष'],
    ['a Malayalam word that ends with a joiner', 'അവന്\u200d'],
    ['an emoji of several', '👩🏽\u200d💻 👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3'],
    ['a sign of Arabic that is seen', '\u06dd'],
  ];
  for (const [what, text] of left) it(`leaves ${what} as it is`, () => assert.equal(html`${text}`.text, text));
});

describe('the shell of pages', () => {
  it('escapes title, links and texts, and marks the page that is open', () => {
    const { text } = shell({
      title: hostile,
      body: html`<h1>${hostile}</h1>`,
      nav: [
        { path: '/a', text: hostile },
        { path: '/b', text: 'b' },
      ],
      current: '/b',
    });
    assert(text.includes(`<title>${asText} · Carnet</title>`));
    assert(text.includes(`<a href="/a">${asText}</a>\n<a href="/b" aria-current="page">b</a>`));
    assert.doesNotMatch(text, /<script/);
  });

  it('is listed by search engines only where that is wanted', () => {
    const body = html`<h1>Carnet</h1>`;
    assert.match(shell({ body }).text, /<meta name="robots" content="noindex">/);
    assert.doesNotMatch(shell({ body, listed: true }).text, /robots/);
  });
});
