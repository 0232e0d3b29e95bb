import { z } from 'zod';

/** The bytes of a body as they came, for routes that take what somebody has signed. */
export const SignedBodySchema = z
  .instanceof(Buffer)
  .meta({ override: { description: 'As it was signed: other bytes of the same content do not fit.' } });
