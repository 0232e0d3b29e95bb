import assert from 'node:assert/strict';
import { z } from 'zod';
import { governedActs, type GovernedAct } from '../../src/commands/governed-acts.ts';
import { sql } from '../../src/database/pool.ts';
import { database } from '../support/service.ts';

/** The acts by which a person lets it outlive the bearer that makes it, or without which it does not come about; or why it needs none. */
type Answer = readonly GovernedAct[] | string;

const ITS_OWN = 'of the service, which nobody outside is shown or chooses';
const MAILED = 'proves an address to whoever has its mail, and ends within the hour';
const COPY = 'a copy of what has an answer here, for what refers to it';
const BEFORE = 'the secret before, which verifies for another day at most';
const NAME = 'names something, and opens nothing';
const PROVIDER = 'of the provider of payments: it ends there within a day, and moves money into a wallet only';
const STATED = 'what a passport or a receiver is told: it opens nothing without a passport, which ends by itself';

/**
 * Every column that holds what lets somebody in, or act in the name of an operator, and every one that looks like it by its name. One that is
 * added fails the test until it has an answer (decision O6).
 */
const columns: Record<string, Answer> = {
  'agent_public_keys.key_thumbprint': COPY,
  'agents.key_thumbprint': COPY,
  'agents.public_jwk': ['agent_public_key.outlives_maker', 'new_agent_public_key.outlives_maker'],
  'agents.status': ['agent.brought_back', 'agent.unblocked'],
  'api_keys.secret_hash': ['api_key.outlives_maker', 'partner_grant.outlives_maker'],
  'authority_bindings.key_thumbprint': STATED,
  'claim_co_signatures.public_jwk': COPY,
  'claim_co_signatures.signer_kid': COPY,
  'claim_log.kid': ITS_OWN,
  'claim_log.private_key': ITS_OWN,
  'dashboard_sessions.token_hash': 'made by a mailed code of a member, and ends after twelve hours or with the member',
  'destinations.address': ['destination.created'],
  'destinations.old_secret': BEFORE,
  'destinations.secret': ['destination.created', 'destination.secret_rotated'],
  'held_keys.key_thumbprint': COPY,
  'idempotency_keys.key': 'shows an answer again to the credential that had it, for a day',
  'sealed_steps.error_code': NAME,
  'inbound_contents.sealed': ITS_OWN,
  'inbound_endpoints.forward_url': ['inbound_endpoint.loosened', 'inbound_endpoint.outlives_maker'],
  'inbound_endpoints.old_secret': BEFORE,
  'inbound_endpoints.secret': [
    'inbound_endpoint.outlives_maker',
    'inbound_secret.outlives_maker',
    'inbound_endpoint.secret_chosen',
  ],
  'inbound_endpoints.slug': ['inbound_endpoint.outlives_maker'],
  'inbound_events.key_hash': NAME,
  'invitation_mails.address': 'is counted for a day by the limits of invitations; nothing is sent by it',
  'known_browsers.address': MAILED,
  'local_calls.key': PROVIDER,
  'local_customers.email': PROVIDER,
  'local_refunds.key': PROVIDER,
  'local_transfers.account': COPY,
  'members.email': ['member.outlives_maker', 'member.admin_added', 'member.owner_added'],
  'model_credentials.secret': ['credential.outlives_maker'],
  'operator_public_keys.kid': COPY,
  'operator_public_keys.public_jwk': ['operator_public_key.outlives_maker'],
  'operators.email':
    'is written to; who signs in is a member, and a changed one is registered by a code that is sent to it',
  'operators.payout_account': ['operator.payout_account_changed'],
  'passport_status_days.key': NAME,
  'passports.kid': ITS_OWN,
  'payouts.account': COPY,
  'portal_sessions.url': PROVIDER,
  'provider_refunds.key': NAME,
  'service_connections.credential_ref': STATED,
  'sign_in_codes.address': MAILED,
  'sign_in_codes.code': MAILED,
  'signing_keys.kid': ITS_OWN,
  'signing_keys.private_key': ITS_OWN,
  'skills.credential_mode': ['skill.outlives_maker'],
  'subscription_changes.checkout_url': PROVIDER,
  'tiers.email': NAME,
  'top_ups.checkout_url': PROVIDER,
  'top_ups.receipt_url': PROVIDER,
  'transfers.credit_account': NAME,
  'transfers.debit_account': NAME,
  'unsubscribed_addresses.address': 'takes away that an address is proven, until a mailed code is entered',
  'verification_codes.address': MAILED,
  'verification_codes.code': MAILED,
  'verification_codes.sealed': MAILED,
};

describe('Every column that gives access', () => {
  it('has an answer to why it outlives no bearer that made it, unless a person approves', async () => {
    const pool = await database();
    const looking = await pool.anyFirst(sql.type(z.object({ name: z.string() }))`
      select table_name || '.' || column_name as name
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and data_type not in ('boolean', 'integer', 'bigint', 'timestamp with time zone')
        and column_name ~ '(^|_)(secret|token|jwk|jwks|password|credential|thumbprint|address|email|slug|url|code|sealed|account|key|kid)(_hash|_ref)?$'`);
    const all = await pool.anyFirst(sql.type(z.object({ name: z.string() }))`
      select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`);
    const answered = Object.keys(columns);
    assert.deepEqual(
      looking.filter((name) => !answered.includes(name)),
      [],
      'columns without an answer here',
    );
    assert.deepEqual(
      answered.filter((name) => !all.includes(name)),
      [],
      'columns that are there no more',
    );
  });

  it('is named by every act that lets something outlive its maker', () => {
    const named = new Set(Object.values(columns).flatMap((answer) => (typeof answer === 'string' ? [] : answer)));
    const acts = (Object.keys(governedActs) as GovernedAct[]).filter((act) => act.endsWith('.outlives_maker'));
    assert.deepEqual(
      acts.filter((act) => !named.has(act)),
      [],
    );
  });
});
