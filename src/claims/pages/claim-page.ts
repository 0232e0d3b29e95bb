import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, live, ofPage, type Entered } from '../../console/page.ts';
import { badge, facts, sure, table } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { readable } from '../../console/readable.ts';
import { decides, isOf, type PersonsVisit } from '../../console/visits.ts';
import { proveInclusion } from '../log/routes.ts';
import { erase, read, revoke } from '../routes.ts';
import { EraseClaimSchema, RevokeClaimSchema, type Claim, type ClaimDigest } from '../schema/claim.ts';
import { VERIFY_SCRIPT } from './assets.ts';
import { stateOf } from './claims-page.ts';
import { inclusionDrawn } from './inclusion.ts';

const nothing = html``;

const isWhole = (claim: Claim | ClaimDigest): claim is Claim => 'envelope' in claim;

async function inclusionOf({ visit }: PersonsVisit, claimId: string): Promise<Html> {
  try {
    const { body: proof } = await visit.call(proveInclusion, { query: { claim_id: claimId } });
    return inclusionDrawn(proof);
  } catch (error) {
    if (!isOf(error, 'NOT_FOUND')) throw error;
    return html`<p class="muted">It waits for its place in the log, about a second.</p>\n`;
  }
}

const receiptOf = ({ receipt }: ClaimDigest): Html =>
  receipt === null
    ? html`<p class="muted">There is none yet.</p>\n`
    : facts([
        ['Registry', receipt.registry],
        ['Registered', moment(new Date(receipt.registered_at * 1_000).toISOString())],
        ['Entry', receipt.proof?.log_index ?? null],
        ['Tree', receipt.proof?.tree_size ?? null],
        [
          'Root',
          receipt.proof?.root_hash === undefined || receipt.proof.root_hash === null
            ? null
            : html`<code>${receipt.proof.root_hash}</code>`,
        ],
      ]);

const stated = (claim: Claim): Html => html`<section class="card"><h2>The statement</h2>
${claim.warnings.map((warning) => html`<p class="notice warning">${warning}</p>\n`)}<pre class="wrapped" tabindex="0"><code>${readable(claim.envelope)}</code></pre></section>
${
  claim.co_signatures.length === 0
    ? nothing
    : html`<h2>Co-signatures</h2>
${table(
  'Co-signatures',
  [
    { title: 'Key', cell: ({ signer_kid: kid }) => html`<code>${kid}</code>` },
    { title: 'Role', cell: ({ signer_role: role }) => role },
    { title: 'State', cell: ({ verified }) => badge(verified ? 'verified' : 'unknown') },
  ],
  claim.co_signatures,
)}`
}`;

const revokeForm = schemaOf(RevokeClaimSchema);
const eraseForm = schemaOf(EraseClaimSchema);

/** Its issuer may take it back, and a person may erase its payload; neither can be undone. */
function acts(person: PersonsVisit, claim: Claim, entered?: Entered): Html {
  if (claim.envelope['issuer'] !== person.caller.operatorId) return nothing;
  const of = (act: string) => ({ entered: enteredIn(act, entered) });
  return html`<div class="columns">${
    claim.revoked_at === null
      ? html`<section class="card"><h2>Revoke it</h2>
<p class="muted">It stays in the log, and is said to be revoked from then on.</p>
${actForm({ act: 'revoke', label: 'Revoke the claim', tone: 'danger', fields: html`${fieldsOf(revokeForm, {}, of('revoke'))}${forGood}` })}</section>`
      : nothing
  }${
    claim.erased_at === null && decides(person)
      ? html`<section class="card"><h2>Erase its payload</h2>
<p class="muted">Digest, receipt and place in the log stay; nobody can read the statement any more.</p>
${actForm({ act: 'erase', label: 'Erase the payload', tone: 'danger', fields: html`${fieldsOf(eraseForm, {}, of('erase'))}${forGood}` })}</section>`
      : nothing
  }</div>`;
}

const forGood = sure('I know that this cannot be undone');

/** One claim: its statement, its receipt, and its way to the root of the log. */
export const claimPage = consolePage({
  operation: 'claimPage',
  path: `${HOME}/claims/:id`,
  async show(person, entered) {
    const { visit } = person;
    const { body: claim } = await visit.call(read, { params: { id: visit.id } });
    const { id } = claim;
    return {
      title: 'Claim',
      live: { ids: [id] },
      scripts: [VERIFY_SCRIPT],
      body: html`<h1>Claim</h1>
${live(
  'claim',
  html`<p class="lead"><code>${id}</code> ${badge(stateOf(claim))}</p>
${facts([
  ['Digest', html`<code>${claim.digest}</code>`],
  ['Type', isWhole(claim) && typeof claim.envelope['claim_type'] === 'string' ? claim.envelope['claim_type'] : null],
  ['Submitted by', isWhole(claim) ? (claim.submitter?.replaceAll('_', ' ') ?? 'unknown') : null],
  ['Recorded', isWhole(claim) ? moment(claim.created_at) : null],
  [
    'Revoked',
    claim.revoked_at === null
      ? null
      : html`${moment(claim.revoked_at)}${isWhole(claim) && claim.revoke_reason !== null ? html`: ${claim.revoke_reason}` : nothing}`,
  ],
  ['Erased', claim.erased_at === null ? null : moment(claim.erased_at)],
  ['Tombstone', claim.tombstone_id === null ? null : idLink(claim.tombstone_id)],
])}${isWhole(claim) ? nothing : html`<p class="notice">You see that it exists, and its digest. Its issuer and those it is about read it in full.</p>\n`}`,
)}<section class="card"><h2>Proof</h2>
${await inclusionOf(person, id)}<p><button type="button" data-verify="${id}" hidden>Verify in this browser</button></p>
<ol id="verified" aria-live="polite"></ol>
<noscript><p class="muted">With scripts on, this page verifies the claim in your browser.</p></noscript>
<p class="muted small">The <a href="/docs">offline verifier</a> checks more: <code>npm run verify -- bundle.json --key …</code>, with the bundle of <code>GET /v1/claims/${id}/bundle</code>.</p></section>
<section class="card"><h2>Receipt</h2>
${receiptOf(claim)}</section>
${isWhole(claim) ? html`${stated(claim)}${acts(person, claim, entered)}` : nothing}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/claims/${id}` })}`,
    };
  },
  acts: {
    revoke: callAct('The claim is revoked.', revoke, {
      sure: true,
      input: (form, person) => ({ ...ofPage(form, person), body: valueOf(revokeForm, form) }),
    }),
    erase: callAct('Its payload is erased.', erase, {
      sure: true,
      input: (form, person) => ({ ...ofPage(form, person), body: valueOf(eraseForm, form) }),
    }),
  },
});
