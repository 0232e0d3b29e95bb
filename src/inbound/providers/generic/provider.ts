import { parseJsonBody } from '../../reading/json.ts';
import { keysOfJson } from '../../reading/keys.ts';
import { bodyOfJson } from '../../reading/whole-json.ts';
import type { Provider } from '../provider.ts';
import { signedSample } from '../signed-sample.ts';
import { hexScheme, standardWebhooks } from '../schemes.ts';

/** A system that signs what it sends, as JSON. */
export const genericProvider: Provider = {
  bodyLimit: 1_048_576,
  waitSeconds: 15,
  schemes: [standardWebhooks, hexScheme],
  deliveryIdOf: () => null,
  identify: ({ body }) => keysOfJson(parseJsonBody(body)),
  read: async ({ body }) => bodyOfJson(parseJsonBody(body)),
  sample: (signing, { subject, text }) =>
    signedSample(
      signing,
      JSON.stringify({
        event_id: signing.eventId,
        type: 'order.shipped',
        data: { order: '1042', note: `${subject}. ${text}` },
      }),
    ),
};
