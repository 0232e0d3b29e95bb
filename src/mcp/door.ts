import { z } from 'zod';
import type { Config } from '../context/config.ts';
import { createForeignCheck } from '../http/auth/same-origin.ts';
import { route, type AnyRoute } from '../http/route.ts';
import { MAX_PAYLOAD_VALUES } from '../invocations/schema.ts';
import { isNamed } from './message.ts';
import { doorRefusal } from './refusals.ts';

/** Values of a message around the payload of a tool call, as `assertFewValues` counts them. */
const ENVELOPE_VALUES = 500;

/**
 * `POST /mcp`: the Model Context Protocol, of 2026-07-28 and the handshake of 2025. One message a request, and no session: any process answers any
 * of them. What a tool does is a call of a route, so the audience of that route decides what a credential may do.
 */
export const mcpDoor = ({ publicBaseUrl }: Pick<Config, 'publicBaseUrl'>): AnyRoute =>
  route({
    method: 'post',
    path: '/mcp',
    operation: 'mcp',
    tag: 'skills',
    summary: 'Speak the Model Context Protocol',
    audience: 'any-credential',
    body: z.unknown(),
    maxValues: MAX_PAYLOAD_VALUES + ENVELOPE_VALUES,
    readsOnly: true,
    // It reads each favourite: thirty and one reads of one request.
    isHeavy: (_query, body) => isNamed(body, 'tools/list'),
    status: 200,
    reply: z.unknown(),
    door: { guard: createForeignCheck(publicBaseUrl), refusal: doorRefusal },
    handler: async (request) => {
      // Loaded at the first message: an API starts in a tenth of a second less without the package of the protocol.
      const { answerMessage } = await import('./answer-message.ts');
      return await answerMessage(request);
    },
  });
