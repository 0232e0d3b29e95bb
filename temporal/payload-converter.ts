import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';
import { UNDECODABLE } from '../workflows/undecodable.ts';

/** The SDK's own converter, except that it never throws at what it cannot read: that would fail the workflow task for ever. Loaded by its path. */
export const payloadConverter: PayloadConverter = {
  toPayload: (value, context, hint) => defaultPayloadConverter.toPayload(value, context, hint),
  fromPayload<T>(payload: Payload, ...rest: unknown[]): T {
    try {
      return (defaultPayloadConverter.fromPayload as (payload: Payload, ...rest: unknown[]) => T)(payload, ...rest);
    } catch {
      return UNDECODABLE as T;
    }
  },
};
