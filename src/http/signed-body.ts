import { z } from 'zod';

/** The bytes of a body as they came, for routes that take what somebody has signed. */
export const SignedBodySchema = z
  .instanceof(Buffer)
  .meta({ override: { type: 'object', description: 'As it was signed; another text of the same JSON does not fit.' } });
