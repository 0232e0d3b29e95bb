import type { Config } from '../../context/config.ts';
import type { Context } from '../../context/context.ts';
import type { Encryption } from '../../context/encryption.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { invalid, type CarnetError } from '../../errors/carnet-error.ts';
import type { OperatorId } from '../../ids/ids.ts';
import type { MailerContext } from '../../mail/index.ts';
import type { Sending } from '../../outbound/outcomes.ts';
import type { Texter } from '../texter.ts';

/** The context of the steps that send. */
export interface SenderContext extends MailerContext {
  readonly texter: Texter;
}

/** The one call there is. What can go wrong on our side has gone wrong before. */
export type Call = () => Promise<Sending>;

/** An address that somebody names. */
export interface NamedAddress {
  /** As it was given. */
  given: string;
  normalised: string;
}

/** The columns that keep an address. */
export interface KeptAddress {
  /** As lists show it. */
  destination: string;
  /** Equal addresses have the same; calls read it. */
  address: string;
  /** The secret part of the address, to be sealed; null: there is none. */
  secret: string | null;
}

/** A code that goes out. */
export interface OutgoingCode {
  destinationId: string;
  code: string;
  /** How long it is good for. */
  seconds: number;
  publicBaseUrl: string;
}

/** A destination as calls read it; secrets are sealed. */
interface CalledDestination {
  destination_id: string;
  /** As it was verified. */
  address: string;
  secret: string | null;
  old_secret: string | null;
}

/** A code that a call brings. */
export interface OpenedCode extends CalledDestination {
  id: string;
  code: string;
  /** How long it is good for. */
  seconds: number;
  expires_at: string;
  requested_at: string;
}

/** A delivery that was begun. */
export interface OutgoingDelivery extends CalledDestination {
  id: string;
  operator_id: string;
  event_id: string;
  event_type: string;
  severity: string;
  /** JSON. */
  payload: string;
  occurred_at: string;
}

/** `mail`: the life of a mail sends it, which is written with the command. `call`: the life of the code makes one call. */
export type CodeByChannel =
  | { by: 'mail'; mailOf(code: OutgoingCode): { subject: string; text: string } }
  | { by: 'call'; callOf(context: SenderContext, code: OpenedCode): Call };

/** A way to notify people or their systems. One folder a kind; all that differs between kinds is a member of this. */
export interface Channel {
  /** How a form asks for an address: the words for the kind and the address, what else is to be known, and one as an example. */
  words: { kind: string; address: string; hint: string; example: string };
  /** Whether it needs a paid tier. The SQL function `traits_of_channel` says the same. */
  isPaid: boolean;
  /** Whether requests are signed, with a secret that the operator gets and may rotate. */
  signs: boolean;
  /** @throws CarnetError where the settings of the service lack what it needs */
  assertConfigured(config: Config): void;
  /** An address in the one spelling in which equal ones are equal; the refusal where it is none, VALIDATION_ERROR at `destination`. */
  normalise(context: Pick<Context, 'outbound'>, destination: string): Promise<string | CarnetError>;
  keep(encryption: Encryption, address: NamedAddress): KeptAddress;
  /** Whether the operator has proven elsewhere that the address is theirs. */
  isProven(connection: CommonQueryMethods, operatorId: OperatorId, address: string): Promise<boolean>;
  /** The code to this address was entered. */
  proved(connection: CommonQueryMethods, operatorId: OperatorId, address: string): Promise<void>;
  code: CodeByChannel;
  callOf(context: SenderContext, delivery: OutgoingDelivery): Call;
  /** Whether a delivery that failed for this reason counts against the destination. */
  isFaultOfReceiver(reason: string | null): boolean;
  /** Names a destination in a mail, with nothing that opens it. */
  nameOf(destination: Pick<OutgoingDelivery, 'destination_id' | 'address'>): string;
}

/** @returns VALIDATION_ERROR at `destination` */
export const refusedAddress = (message: string, code = 'invalid_format'): CarnetError =>
  invalid({ path: 'destination', message, code });

/** An address that is no secret, and is verified by a code alone. */
export const openAddress = {
  keep: (_encryption: Encryption, { given, normalised }: NamedAddress): KeptAddress => ({
    destination: given,
    address: normalised,
    secret: null,
  }),
};

/** Nobody has proven an address of this channel before its code was entered. */
export const provenByCode = {
  isProven: async (): Promise<boolean> => false,
  proved: async (): Promise<void> => {},
};
