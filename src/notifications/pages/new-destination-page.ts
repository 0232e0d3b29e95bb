import { html } from '../../http/pages/html.ts';
import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { actForm, callAct, consolePage, type Entered } from '../../console/page.ts';
import { idLink } from '../../console/places.ts';
import { shownOnce, tabs } from '../../console/parts.ts';
import { oneOf, type PersonsVisit } from '../../console/visits.ts';
import { ChannelTypeSchema, type ChannelType } from '../channels/kinds.ts';
import { channels } from '../channels/registry.ts';
import { postDestination } from '../destinations/routes.ts';
import { CreateDestinationSchema } from '../destinations/schema.ts';
import { DESTINATIONS_PATH, forOthers } from './parts.ts';
import { receiverCard } from './receiver.ts';

const PATH = `${DESTINATIONS_PATH}/new`;
const form = schemaOf(CreateDestinationSchema);

const kindOf = ({ visit }: PersonsVisit): ChannelType => {
  const kind = ChannelTypeSchema.safeParse(oneOf(visit.query, 'kind'));
  return kind.success ? kind.data : 'webhook';
};

const optionsOf = (kind: ChannelType) => {
  const { address, hint, example } = channels[kind].words;
  return {
    only: ['destination'],
    short: ['destination'],
    labels: { destination: address },
    hints: { destination: `${hint} For example ${example}` },
  };
};

/** One form a kind of destination. */
export const newDestinationPage = consolePage({
  operation: 'newDestinationPage',
  path: PATH,
  async show(person, entered?: Entered) {
    const title = 'Add a destination';
    const others = forOthers(person, title);
    if (others !== null) return others;
    const kind = kindOf(person);
    return {
      title,
      body: html`<h1>${title}</h1>
${tabs(
  'Kind',
  ChannelTypeSchema.options.map((one) => ({
    href: `${PATH}?kind=${one}`,
    text: channels[one].words.kind,
    current: one === kind,
  })),
)}<section class="card">${actForm({
        act: 'create',
        label: 'Add it',
        tone: 'primary',
        fields: fieldsOf(form, optionsOf(kind), { entered }),
      })}</section>
<p class="muted">Nothing but its code is sent there before the code is entered.${channels[kind].isPaid ? ' This kind needs a paid tier.' : ''}</p>
`,
    };
  },
  acts: {
    create: callAct('The destination is added.', postDestination, {
      input: (fields, person) => {
        const kind = kindOf(person);
        return { body: { ...valueOf(form, fields, optionsOf(kind)), channel_type: kind } };
      },
      then: ({ id, destination, webhook_secret: secret }) =>
        secret === undefined
          ? `${DESTINATIONS_PATH}/${id}`
          : {
              title: 'The destination is added',
              body: html`<h1>The destination is added</h1>
<p class="lead">${destination} ${idLink(id)}</p>
${shownOnce('The secret', secret)}<p><a class="button primary" href="${DESTINATIONS_PATH}/${id}">Enter the code that it got</a></p>
${receiverCard}`,
            },
    }),
  },
});
