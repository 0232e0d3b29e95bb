import type { z } from 'zod';
import { invalid } from '../../errors/carnet-error.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { parseStrictJson, StrictJsonFault } from '../../json/strict.ts';
import type { JsonValue } from '../../json/value.ts';
import { actForm, callAct, consolePage } from '../../console/page.ts';
import { badge, facts } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { oneOf } from '../../console/visits.ts';
import { verify } from '../routes.ts';

/** A claim as somebody holds it. @throws CarnetError VALIDATION_ERROR */
function envelopeIn(text: string): JsonValue {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof StrictJsonFault)) throw error;
    throw invalid({ path: 'envelope', code: error.code, message: error.message });
  }
}

const heldOr = (holds: boolean | null): Html => {
  if (holds === null) return badge('not checked', '');
  return holds ? badge('holds', 'good') : badge('does not hold', 'error');
};

const verdict = ({ status, claim_id: id, digest, checks, errors }: z.output<typeof verify.reply>): Html =>
  html`<h1>Verify a claim</h1>
<section class="card"><h2>Verdict ${badge(status)}</h2>
${errors.map(({ code, message }) => html`<p class="notice error"><code>${code}</code> ${message}</p>\n`)}${facts([
    ['Claim', id === null ? 'none that is recorded here' : idLink(id)],
    ['Digest', digest === null ? null : html`<code>${digest}</code>`],
    ['Schema', heldOr(checks.schema)],
    ['Digest as recorded', heldOr(checks.digest)],
    ['Receipt', heldOr(checks.receipt)],
    ['In the log', heldOr(checks.inclusion)],
    ['Not revoked', heldOr(checks.revocation)],
  ])}</section>
<p><a href="${HOME}/claims/verify">Verify another</a></p>
`;

/** A claim that somebody holds is pasted, and judged. */
export const verifyPage = consolePage({
  operation: 'verifyClaimPage',
  path: `${HOME}/claims/verify`,
  show: async (_, entered) => ({
    title: 'Verify a claim',
    body: html`<h1>Verify a claim</h1>
<p class="lead">Paste a claim as you hold it, receipt and co-signatures included.</p>
${actForm({
  act: 'verify',
  label: 'Verify it',
  tone: 'primary',
  fields: html`<label>Claim<textarea name="envelope" class="code" rows="16" spellcheck="false" required>\n${entered === undefined ? '' : oneOf(entered.form, 'envelope')}</textarea></label>\n`,
})}`,
  }),
  acts: {
    verify: callAct('It is verified.', verify, {
      input: (form) => ({ body: { envelope: envelopeIn(oneOf(form, 'envelope')) } }),
      then: (reply) => ({ title: 'Verify a claim', body: verdict(reply) }),
    }),
  },
  formBytes: 1_048_576,
});
