import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../console/form.ts';
import { listOf } from '../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, type Entered } from '../../console/page.ts';
import { empty, momentOr, sure, type Column } from '../../console/parts.ts';
import { HOME } from '../../console/places.ts';
import { decides, oneOf } from '../../console/visits.ts';
import type { Config } from '../../context/config.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { JsonObject } from '../../json/value.ts';
import { deleteCredential, getCredentials, putCredential } from '../routes.ts';
import { PutCredentialSchema, type Credential } from '../schema.ts';

const CREDENTIALS_PATH = `${HOME}/credentials`;

const keyForm = schemaOf(PutCredentialSchema);
const keyOptions: FormOptions = {
  labels: { api_key: 'Key', label: 'Label' },
  hints: {
    api_key: 'As the provider has shown it. It is kept encrypted, and no page and no answer has it.',
    label: 'For you, to know it again by.',
  },
  secret: ['api_key'],
};

const providerForm = (slugs: readonly string[]): JsonObject => ({
  properties: { provider: { title: 'Provider', enum: [...slugs] } },
  required: ['provider'],
});

const columns: readonly Column<Credential>[] = [
  { title: 'Provider', cell: ({ provider }) => provider, text: ({ provider }) => provider },
  { title: 'Label', cell: ({ label }) => label ?? '', text: ({ label }) => label },
  { title: 'Key', cell: ({ last_four: end }) => html`<code>…${end}</code>`, text: ({ last_four: end }) => `…${end}` },
  { title: 'Entered', cell: ({ updated_at: at }) => moment(at), text: ({ updated_at: at }) => at },
  { title: 'Last used', cell: ({ last_used_at: at }) => momentOr(at, 'not yet'), text: ({ last_used_at: at }) => at },
  {
    title: 'Delete',
    cell: ({ provider }) =>
      actForm({
        act: 'remove',
        hidden: { provider },
        fields: sure('Runs that need it fail from then on'),
        label: 'Delete',
        tone: 'danger',
      }),
  },
];

function enter({ modelProviders }: Pick<Config, 'modelProviders'>, entered: Entered | undefined): Html {
  const slugs = modelProviders.map(({ slug }) => slug);
  if (slugs.length === 0) return empty('This service knows no provider of language models.');
  const filled = { entered: enteredIn('put', entered) };
  return html`<section class="card">${actForm({
    act: 'put',
    label: 'Save the key',
    tone: 'primary',
    fields: html`${fieldsOf(providerForm(slugs), {}, filled)}${fieldsOf(keyForm, keyOptions, filled)}`,
  })}</section>
`;
}

/** The operator's own keys of providers of language models. */
export const credentialsPage = consolePage({
  operation: 'credentialsPage',
  path: CREDENTIALS_PATH,
  async show(person, entered) {
    const about = html`<h1>Model credentials</h1>
<p class="lead">Your own keys of providers of language models. Skills that ask a model by the key of their buyer, or of their seller, use them.</p>
`;
    if (!decides(person))
      return {
        title: 'Model credentials',
        body: html`${about}<p class="notice">Owners and administrators see and change them; you are a member.</p>`,
      };
    const list = await listOf(person, getCredentials, {
      id: 'credentials',
      label: 'Model credentials',
      rows: (reply) => reply.credentials,
      columns,
      nothing: 'No key is entered yet.',
    });
    return (
      list.csv ?? {
        title: 'Model credentials',
        body: html`${about}${list.html}<h2>Enter a key, or replace one</h2>
${enter(person.visit.context.config, entered)}`,
      }
    );
  },
  acts: {
    put: callAct('The key is saved.', putCredential, {
      input: (form) => ({ params: { provider: oneOf(form, 'provider') }, body: valueOf(keyForm, form, keyOptions) }),
    }),
    remove: callAct(
      'The key is deleted. Revoke it at its provider too, where somebody else knows it.',
      deleteCredential,
      { sure: true, input: (form) => ({ params: { provider: oneOf(form, 'provider') } }) },
    ),
  },
});
