import { html } from '../http/pages/html.ts';
import type { JsonObject } from '../json/value.ts';
import { bars, meter, timeline, tree } from './charts.ts';
import { fieldsOf } from './form.ts';
import { asCurl } from './list.ts';
import { actForm, consolePage } from './page.ts';
import { badge, copyable, empty, facts, figures, folded, shownOnce, sure, table, tabs } from './parts.ts';
import { HOME, idLink } from './places.ts';

const PATH = `${HOME}/parts`;

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 64, description: 'A hint stands below its field, `code` in it too.' },
    kind: { type: 'string', enum: ['first', 'second'] },
    tags: { type: 'array', items: { type: 'string' } },
    amount: { type: 'integer' },
    active: { type: 'boolean' },
    data: { type: 'object' },
  },
} satisfies JsonObject;

const rows = [
  { id: 'inv_01K9ZC4T0M3Q8V6W2X5Y7ZABCD', state: 'completed', cents: 25 },
  { id: 'inv_01K9ZC4T0M3Q8V6W2X5Y7ZABCE', state: 'failed', cents: 100 },
];

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 29) + seconds * 1_000).toISOString();

/** All that pages are made of, on one page, for those who build pages: what looks right here looks right everywhere. */
export const partsPage = consolePage({
  operation: 'partsPage',
  path: PATH,
  show: async () => ({
    title: 'Parts',
    body: html`<h1>Parts</h1>
<p class="lead">What pages of the console are made of. Nothing here does anything.</p>
<h2>Words</h2>
<p>Text with <a href="${PATH}">a link</a>, <code>code</code>, <span class="muted">what matters less</span>, and ${idLink('inv_01K9ZC4T0M3Q8V6W2X5Y7ZABCD')}.</p>
<p class="notice">A notice.</p>
<p class="notice good">What was done.</p>
<p class="notice warning">What to look at first.</p>
<p class="notice error">What was refused.</p>
<h2>States</h2>
<p>${['pending', 'completed', 'held', 'failed', 'draft'].map((state) => html`${badge(state)} `)}${badge('no tone', '')}</p>
<h2>Figures and facts</h2>
${figures('Figures', [
  ['Available', '$12.50'],
  ['Held', '$0.25'],
])}<section class="card">${facts([
      ['Name', 'summarise-text'],
      ['Left out', null],
      ['State', badge('active')],
    ])}</section>
<ul class="meters">${meter('Seats', 3, 5)}${meter('Claims', 1_250, null)}</ul>
<h2>Tabs, tables, nothing</h2>
${tabs('Tabs', [
  { href: PATH, text: 'First', current: true },
  { href: PATH, text: 'Second', current: false },
])}${table(
      'Rows',
      [
        { title: 'Id', cell: ({ id }) => idLink(id) },
        { title: 'State', cell: ({ state }) => badge(state) },
        { title: 'Price', amount: true, cell: ({ cents }) => cents },
      ],
      rows,
    )}${empty('Where there is nothing yet, how the first comes about.')}${asCurl({ method: 'GET', address: 'https://carnet.example.com/v1/skills' })}
<h2>Charts</h2>
${bars('Spent by day', [
  { label: '27 November', value: 120, text: '$1.20' },
  { label: '28 November', value: 300, text: '$3.00' },
  { label: '29 November', value: 45, text: '$0.45' },
])}<section class="card">${timeline('Steps', [
      { what: 'Ordered', at: at(0) },
      { what: 'Claimed', at: at(4) },
      { what: 'Completed', at: at(9), state: 'completed' },
      { what: 'To come', at: null },
    ])}</section>
${tree('Tree', [{ content: html`A passport`, children: [{ content: html`A delegation of it`, children: [] }] }])}
<h2>Forms</h2>
<section class="card">${actForm({
      act: 'none',
      label: 'Does nothing',
      others: [{ act: 'other', label: 'Neither does this', tone: 'danger' }],
      tone: 'primary',
      action: PATH,
      fields: html`${fieldsOf(schema)}${sure('I know that this cannot be undone')}`,
    })}</section>
${shownOnce('A key', 'crn_0123456789')}${copyable('npm start')}${folded('A section of a long page', html`<p>Few read this.</p>\n`)}`,
  }),
});
