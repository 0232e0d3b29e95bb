import { asCurl } from '../../../console/list.ts';
import { actForm, callAct, consolePage } from '../../../console/page.ts';
import { badge, sure, table } from '../../../console/parts.ts';
import { HOME } from '../../../console/places.ts';
import { assertPlatform, oneOf } from '../../../console/visits.ts';
import { html } from '../../../http/pages/html.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { showSigningKeys } from '../rotate.ts';
import { postRotate } from '../routes.ts';

const states = ['active', 'next', 'retired', 'withdrawn'] as const;

const signingKeysPage = consolePage({
  operation: 'signingKeysPage',
  path: `${HOME}/signing-keys`,
  async show(person) {
    assertPlatform(person);
    const { context } = person.visit;
    const keys = await showSigningKeys(context);
    const rows = states.flatMap((state) => [keys[state]].flat().map((kid) => ({ kid, state })));
    const withdrawn = rows.filter(({ state }) => state !== 'withdrawn');
    return {
      title: 'Signing keys',
      body: html`<h1>Signing keys</h1>
<p class="lead">They sign passports. The active key is changed by itself each 90 days.</p>
${table(
  'Signing keys',
  [
    { title: 'Key', cell: ({ kid }) => html`<code>${kid}</code>` },
    { title: 'State', cell: ({ state }) => badge(state) },
  ],
  rows,
)}<div class="columns"><section class="card"><h2>Rotate</h2>
<p>The next key signs from now on. Passports of the key before count until they expire.</p>
${actForm({ act: 'rotate', label: 'Rotate the keys', tone: 'primary' })}</section>
<section class="card"><h2>Withdraw a key that leaked</h2>
<p>Every passport that it signed is revoked, and refused at the next verify.</p>
${actForm({
  act: 'withdraw',
  label: 'Withdraw the key',
  tone: 'danger',
  fields: html`<label>Key<select name="kid" required><option value=""></option>${withdrawn.map(({ kid, state }) => html`<option value="${kid}">${kid} (${state})</option>`)}</select></label>
${sure('Revoke every passport that it signed')}`,
})}</section></div>
${asCurl({ method: 'POST', address: `${context.config.publicBaseUrl}/v1/admin/signing-keys/rotate`, body: { immediate: false } })}`,
    };
  },
  acts: {
    rotate: callAct('The next key signs from now on.', postRotate, { input: () => ({ body: { immediate: false } }) }),
    withdraw: callAct('The key is withdrawn, and its passports are revoked.', postRotate, {
      sure: true,
      input: (form) => ({ body: { kids: [oneOf(form, 'kid')] } }),
    }),
  },
});

export const signingKeyPages: readonly PathOfPeoplePage[] = [signingKeysPage];
