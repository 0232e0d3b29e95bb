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

  it('shows characters that turn the direction of a text as their code', () => {
    const turns = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
    const { text } = html`${`pay ${turns}`}`;
    assert.equal(text, 'pay [U+202A][U+202B][U+202C][U+202D][U+202E][U+2066][U+2067][U+2068][U+2069]');
  });
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
