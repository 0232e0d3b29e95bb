import { z } from 'zod';
import { name } from '../fields/text.ts';

/** A text that may stand in a header; so long that the four characters which are shown tell nothing of the rest. */
const apiKey = z
  .string('must be a text')
  .regex(/^[\x21-\x7e]{16,1000}$/, 'must be 16 to 1000 visible ASCII characters, without spaces')
  .meta({ description: 'As the provider has shown it. It is in no answer.', writeOnly: true });

export const PutCredentialSchema = z.strictObject({ api_key: apiKey, label: name.optional() }).meta({
  id: 'PutCredential',
  description: 'The whole credential: a label that is left out is none.',
});
export type PutCredential = z.infer<typeof PutCredentialSchema>;

export const CredentialSchema = z
  .object({
    provider: z.string().meta({ description: 'The provider of language models that the key is for.' }),
    label: z.string().nullable(),
    last_four: z.string().meta({ description: 'The last four characters of the key.' }),
    created_at: z.string(),
    updated_at: z.string().meta({ description: 'When the key was entered last.' }),
    last_used_at: z
      .string()
      .nullable()
      .meta({ description: 'When it was last given to a call of a model, to the minute.' }),
  })
  .meta({
    id: 'Credential',
    description: 'A key of the operator for a provider of language models; the key itself is in no answer.',
    examples: [
      {
        provider: 'openai',
        label: 'Production',
        last_four: 'f3Qa',
        created_at: '2026-11-21T12:00:00.000Z',
        updated_at: '2026-11-21T12:00:00.000Z',
        last_used_at: null,
      },
    ],
  });
export type Credential = z.infer<typeof CredentialSchema>;
