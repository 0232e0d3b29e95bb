import { z } from 'zod';
import { withSomeField } from '../../fields/objects.ts';
import { text, distinctNames, name } from '../../fields/text.ts';

const serviceName = name
  .refine((value) => value !== '*', 'must not be *, which stands for all services in grants')
  .meta({ description: 'Unique among the services of the operator.' });

/** Without a wildcard: `*` in a grant stands for these scopes, and a passport names each scope it allows. */
const scopes = distinctNames
  .refine((names) => !names.includes('*'), 'must name each scope; * is allowed in grants only')
  .meta({ uniqueItems: true });

const credentialRef = text(1, 2_000)
  .nullable()
  .meta({ description: 'Where the holder of a passport finds the credential of the service; never the credential.' });

export const ServiceConnectionSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    service_id: z.string(),
    service_name: z.string(),
    scopes: z.array(z.string()),
    credential_ref: z.string().nullable(),
    status: z.enum(['active', 'disabled']),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'ServiceConnection',
    description: 'A service that the operator has connected. Grants decide what agents may use of it.',
    examples: [
      {
        id: 'con_01K0000000000000000000000A',
        operator_id: 'op_01K0000000000000000000000A',
        service_id: 'github',
        service_name: 'ada-github',
        scopes: ['repo:read', 'repo:write'],
        credential_ref: 'vault:github/ada',
        status: 'active',
        created_at: '2026-11-21T12:00:00.000Z',
        updated_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type ServiceConnection = z.infer<typeof ServiceConnectionSchema>;

export const CreateServiceConnectionSchema = z
  .strictObject({
    service_id: name,
    service_name: serviceName,
    scopes,
    credential_ref: credentialRef.default(null),
  })
  .meta({ id: 'CreateServiceConnection' });
export type CreateServiceConnection = z.infer<typeof CreateServiceConnectionSchema>;

export const UpdateServiceConnectionSchema = withSomeField(
  z.strictObject({
    service_id: name.optional(),
    service_name: serviceName.optional(),
    scopes: scopes.optional(),
    credential_ref: credentialRef.optional(),
    status: ServiceConnectionSchema.shape.status.optional(),
  }),
).meta({
  id: 'UpdateServiceConnection',
  description: 'Fields that are absent stay. Scopes that are removed are left out of every later passport.',
});
export type UpdateServiceConnection = z.infer<typeof UpdateServiceConnectionSchema>;
