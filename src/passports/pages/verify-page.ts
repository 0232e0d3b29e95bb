import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { actForm, consolePage } from '../../console/page.ts';
import { facts } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { readable } from '../../console/readable.ts';
import { oneOf } from '../../console/visits.ts';
import { budgetWords } from './budget-words.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { MAX_TOKEN_CHARACTERS } from '../token.ts';
import { postVerify } from '../verifying/routes.ts';
import { VerifyBodySchema, type Verification } from '../verifying/schema.ts';

export const VERIFY_PATH = `${HOME}/passports/verify`;

const form = schemaOf(VerifyBodySchema);
const options = {
  long: ['token'],
  labels: { service_id: 'Service' },
  hints: { token: 'Three parts between dots. It is checked, and neither kept nor written into a log.' },
};

type Reason = Extract<Verification, { valid: false }>['reason'];

/** Why a service refuses it, and what would help. */
const reasons: Readonly<Record<Reason, string>> = {
  malformed: 'It is no passport of this service: its form, its issuer or its times are not those of one.',
  unknown_key: 'No key that counts here has signed it: the key is not known, or was withdrawn.',
  bad_signature: 'Its signature does not fit: it was changed after it was signed, or another key has signed it.',
  revoked: 'It was revoked, or was never issued. Nothing brings it back; the agent is issued a new one.',
  ancestor_revoked: 'A passport that it was delegated from was revoked, and so was it.',
  expired: 'Its time is over. The agent refreshes a passport before that, or is issued a new one.',
  wrong_audience: 'It counts, but not for this service: its audience names others.',
  service_not_in_scope: 'It counts, but not for this service: it has no scopes for it.',
};

function partOf(token: string, at: number): string | null {
  const part = token.trim().split('.')[at];
  if (part === undefined || part.length > MAX_TOKEN_CHARACTERS) return null;
  try {
    return readable(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')));
  } catch {
    return null;
  }
}

const decoded = (title: string, text: string | null): Html =>
  html`<section class="card"><h2>${title}</h2>
${text === null ? html`<p class="muted">It is no JSON in base64url.</p>` : html`<pre class="wrapped" tabindex="0"><code>${text}</code></pre>`}</section>
`;

function verdictOf(verdict: Verification, serviceId: string | undefined): Html {
  if (!verdict.valid)
    return html`<p class="notice error" role="status"><strong>A service would refuse it: <code>${verdict.reason}</code>.</strong> ${reasons[verdict.reason]}</p>\n`;
  const { jti, agent_id: agent, expires_at: until, audience, authority_refs: bindings, budget } = verdict;
  const lost = bindings.filter(({ active }) => !active);
  return html`<p class="notice good" role="status"><strong>It counts now${serviceId === undefined ? '' : `, for ${serviceId}`}.</strong>${serviceId === undefined ? ' Name a service to see whether it is for that one.' : ''}</p>
${lost.length === 0 ? html`` : html`<p class="notice warning">Bindings in it that hold no more: ${lost.map(({ binding_id: id }) => html`${idLink(id)} `)}</p>\n`}<section class="card">${facts(
    [
      ['Passport', idLink(jti)],
      ['Agent', idLink(agent)],
      ['Expires', moment(until)],
      ['Audience', audience === null ? 'every service that it has scopes for' : audience.join(', ')],
      ['Budget', budgetWords(budget)],
    ],
  )}</section>
`;
}

const formOf = (filled: Parameters<typeof fieldsOf>[2]): Html =>
  html`<section class="card">
${actForm({ act: 'verify', label: 'Verify it', tone: 'primary', fields: fieldsOf(form, options, filled) })}</section>
`;

/** Decodes one token, and says whether it counts, or by what a service would refuse it. The token is not shown again. */
export const verifyPage = consolePage({
  operation: 'verifyPassportPage',
  path: VERIFY_PATH,
  show: async (_person, entered) => ({
    title: 'Verify a passport',
    body: html`<h1>Verify a passport</h1>
<p class="lead">Paste the token of a passport: you see what it says, and whether a service may accept it now.</p>
${formOf({ entered })}`,
  }),
  acts: {
    verify: {
      done: 'It is verified.',
      async run({ visit }, sent) {
        const body = valueOf(form, sent, options);
        const serviceId = body['service_id'] === undefined ? undefined : oneOf(sent, 'service_id').trim();
        const token = oneOf(sent, 'token').trim();
        const { body: verdict } = await visit.call(postVerify, { body: { ...body, token } });
        return {
          title: 'Verify a passport',
          body: html`<h1>Verify a passport</h1>
${verdictOf(verdict, serviceId)}<div class="columns">${decoded('Header', partOf(token, 0))}${decoded('Payload', partOf(token, 1))}</div>
<h2>Another one</h2>
${formOf({ values: serviceId === undefined ? {} : { service_id: serviceId } })}`,
        };
      },
    },
  },
  formBytes: 65_536,
});
