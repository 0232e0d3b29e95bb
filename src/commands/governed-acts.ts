interface GovernedRule {
  /** The call that does it. */
  call: `${'POST' | 'PATCH' | 'PUT' | 'DELETE'} /v1/${string}`;
  /** Says what is done, and under which condition. */
  what: string;
  /** Why no key or token may do it alone; a sentence, which the refusal repeats. */
  why: string;
  /** Who may do it in a dashboard session, or approve it: the owners, or administrators too. */
  by: 'owner' | 'administrator';
  /**
   * The answer is worth something to who gets it, so an approval counts for the credential that requested it alone. Of all other
   * acts the effect is the same no matter who does them.
   */
  forRequester?: true;
}

/**
 * Everything that needs a person: no key, token or member without a role that may approve does it alone. The gate
 * (`RequireApproval`) takes nothing else, docs/people.md shows it, and a test compares the two.
 */
export const governedActs = {
  'review.approved': {
    call: 'POST /v1/passports/reviews/:checkoutId/decide',
    what: 'Approving a review',
    why: 'It vouches for what an agent did, and lifts the hold of a critical review.',
    by: 'administrator',
  },
  'agent.unblocked': {
    call: 'POST /v1/agents/:id/unblock',
    what: 'Unblocking an agent, or lifting what reviews that were blocked hold of it',
    why: 'Somebody has decided against it, and it gets passports again.',
    by: 'administrator',
  },
  'agent.accountability_weakened': {
    call: 'PATCH /v1/agents/:id',
    what: 'Holding an agent to less: a weaker `accountability`, or a longer `checkpoint_interval_seconds` or none',
    why: 'An agent that is held to less reports less, and nobody reviews it.',
    by: 'administrator',
  },
  'member.owner_added': {
    call: 'POST /v1/members',
    what: 'Adding an owner',
    why: 'An owner decides where the money goes and who approves: only an owner makes another.',
    by: 'owner',
  },
  'member.admin_added': {
    call: 'POST /v1/members',
    what: 'Adding an administrator',
    why: 'An administrator approves what keys and tokens ask for: no key makes the person who approves for it.',
    by: 'administrator',
  },
  'member.owner_deleted': {
    call: 'DELETE /v1/members/:id',
    what: 'Deleting an owner',
    why: 'It takes the money and the approvals out of somebody’s hands: only an owner removes another.',
    by: 'owner',
  },
  'member.admin_deleted': {
    call: 'DELETE /v1/members/:id',
    what: 'Deleting an administrator',
    why: 'It takes away a person who approves, and with the second one the rule that nobody approves their own request.',
    by: 'administrator',
  },
  'api_key.outlives_maker': {
    call: 'POST /v1/api-keys',
    what: 'Making a key that lasts longer than the key or token that makes it',
    why: 'A credential that was to end would go on for ever by making another: send an `expires_at` that is no later than its own end.',
    by: 'administrator',
    forRequester: true,
  },
  'partner_grant.outlives_maker': {
    call: 'POST /v1/partner-grants',
    what: 'Making a partner grant whose key lasts longer than the key or token that makes it',
    why: 'Somebody outside of the operator gets a key, which would go on when what made it has ended: send an `expires_at` that is no later than that.',
    by: 'administrator',
    forRequester: true,
  },
  'member.outlives_maker': {
    call: 'POST /v1/members',
    what: 'Inviting a person by a key or token that ends',
    why: 'A member stays when what invited them has ended: a person invites them, or a key that does not end.',
    by: 'administrator',
  },
  'new_agent_public_key.outlives_maker': {
    call: 'POST /v1/agents',
    what: 'Registering an agent with a `public_jwk` by a key or token that ends',
    why: 'Everybody who has the private key signs as the agent when what entered it has ended: leave `public_jwk` out, or have a person look.',
    by: 'administrator',
  },
  'agent_public_key.outlives_maker': {
    call: 'PATCH /v1/agents/:id',
    what: 'Giving an agent another `public_jwk` by a key or token that ends',
    why: 'Everybody who has the private key signs as the agent when what entered it has ended.',
    by: 'administrator',
  },
  'operator_public_key.outlives_maker': {
    call: 'PATCH /v1/operators/me',
    what: 'Adding one of `public_jwks` by a key or token that ends',
    why: 'Everybody who has the private key co-signs claims as the operator when what entered it has ended.',
    by: 'administrator',
  },
  'inbound_endpoint.outlives_maker': {
    call: 'POST /v1/operator/inbound-webhooks',
    what: 'Making an inbound endpoint by a key or token that ends',
    why: 'Everybody who is given its address and secret sends events to the agent when what made it has ended.',
    by: 'administrator',
    forRequester: true,
  },
  'inbound_secret.outlives_maker': {
    call: 'POST /v1/operator/inbound-webhooks/:id/rotate-secret',
    what: 'Replacing the secret of an inbound endpoint by a key or token that ends',
    why: 'Everybody who is given the new secret signs events and forwards when what requested it has ended: revoke the endpoint where it has to be quick.',
    by: 'administrator',
    forRequester: true,
  },
  'credential.outlives_maker': {
    call: 'PUT /v1/credentials/:provider',
    what: 'Entering a key for a provider of language models by a key or token that ends',
    why: 'Everybody who has the account at the provider may read there what the key is used for, when what entered it has ended.',
    by: 'administrator',
  },
  'skill.outlives_maker': {
    call: 'POST /v1/skills',
    what: 'Publishing a skill that is answered by its seller’s key for a model provider (`seller_provides`, `both`), by a key or token that ends',
    why: 'Everybody who invokes it asks by that key when what published it has ended: a person publishes it, or a key that does not end.',
    by: 'administrator',
  },
  'agent.brought_back': {
    call: 'PATCH /v1/agents/:id',
    what: 'Making an agent active again that was retired (`status: disabled`)',
    why: 'All keys of the agent would be accepted again: who retired it, a person or a key, meant them to end.',
    by: 'administrator',
  },
  'operator.payout_account_changed': {
    call: 'PATCH /v1/operators/me',
    what: 'Changing `payout_account`',
    why: 'Earnings are paid out to it: only an owner decides where money leaves to.',
    by: 'owner',
  },
  'operator.passports_may_invoke': {
    call: 'PATCH /v1/operators/me',
    what: 'Letting passports invoke (`passports_may_invoke`)',
    why: 'Who holds such a passport spends money of the wallet without a key.',
    by: 'administrator',
  },
  'destination.created': {
    call: 'POST /v1/notifications/destinations',
    what: 'Adding a destination of notifications',
    why: 'It decides where what happens to the operator’s agents is sent to, and by whom it is read.',
    by: 'administrator',
    forRequester: true,
  },
  'destination.deleted': {
    call: 'DELETE /v1/notifications/destinations/:id',
    what: 'Deleting a destination',
    why: 'Nobody is notified there any more of what the agents do.',
    by: 'administrator',
  },
  'destination.secret_rotated': {
    call: 'POST /v1/notifications/destinations/:id/rotate-secret',
    what: 'Replacing the secret of a webhook',
    why: 'Everybody who gets the new secret can sign what the receiver takes for ours.',
    by: 'administrator',
    forRequester: true,
  },
  'notification_rule.created': {
    call: 'POST /v1/notifications/channels',
    what: 'Creating a notification rule',
    why: 'It sends what happens to an operator to an address: a person looks where to.',
    by: 'administrator',
  },
  'notification_rule.changed': {
    call: 'PATCH /v1/notifications/channels/:id',
    what: 'Changing a notification rule',
    why: 'People would not be notified any more of what a key does, or somebody else would be.',
    by: 'administrator',
  },
  'notification_rule.deleted': {
    call: 'DELETE /v1/notifications/channels/:id',
    what: 'Deleting a notification rule',
    why: 'People would not be notified any more of what a key does.',
    by: 'administrator',
  },
  'claim.erased': {
    call: 'POST /v1/claims/:id/erase',
    what: 'Erasing the payload of a claim',
    why: 'It destroys what an agent is held to account by, and nothing brings it back.',
    by: 'administrator',
  },
  'contents.erased': {
    call: 'POST /v1/operators/me/erasure',
    what: 'Erasing all contents that the operator keeps',
    why: 'It destroys what agents are held to account by and what the operator has paid for, and nothing brings it back.',
    by: 'owner',
  },
  'inbound_endpoint.made_weak': {
    call: 'POST /v1/operator/inbound-webhooks',
    what: 'Making an inbound endpoint that holds less than the standard policy: `block_at: critical`, or `mode: shadow`',
    why: 'What the scanner finds grave would reach the agent: leave `policy` out, or have a person look.',
    by: 'administrator',
    forRequester: true,
  },
  'inbound_endpoint.loosened': {
    call: 'PATCH /v1/operator/inbound-webhooks/:id',
    what: 'Letting more events pass an inbound endpoint (a graver `block_at`, or `mode: shadow`), or forwarding them to another `forward_url` than before',
    why: 'What the provider sends would reach the agent unheld, or somebody else.',
    by: 'administrator',
  },
  'inbound_endpoint.secret_chosen': {
    call: 'POST /v1/operator/inbound-webhooks/:id/rotate-secret',
    what: 'Replacing the secret of an inbound endpoint by a `secret` of the caller’s choice',
    why: 'Everybody who knows that secret from elsewhere can sign events, and can sign requests that the agent takes for our forwards: leave `secret` out, or have a person look.',
    by: 'administrator',
    forRequester: true,
  },
  'inbound_event.replayed': {
    call: 'POST /v1/operator/inbound-webhooks/:id/events/:eventId/replay',
    what: 'Replaying an inbound event that was held (`blocked`)',
    why: 'It would be judged again until it passes: a model does not answer the same each time, and a newer scanner may find less.',
    by: 'administrator',
  },
  'inbound_finding.marked_harmless': {
    call: 'POST /v1/operator/inbound-webhooks/:id/events/:eventId/harmless',
    what: 'Marking a finding of an inbound event as harmless',
    why: 'The mark says that a person has looked.',
    by: 'administrator',
  },
  'refund.settled_by_hand': {
    call: 'POST /v1/admin/billing/refunds/:id/settle',
    what: 'Settling a refund that hangs, by the platform',
    why: 'It moves the money that the refund holds: a person has looked it up at the provider.',
    by: 'administrator',
  },
  'receivable.closed': {
    call: 'POST /v1/admin/billing/receivables/:id/close',
    what: 'Giving up what an operator owes, by the platform',
    why: 'The platform pays it.',
    by: 'administrator',
  },
  'differing_payment.taken': {
    call: 'POST /v1/admin/billing/differing-payments/:id/take',
    what: 'Crediting a payment that is not the one requested, by the platform',
    why: 'It makes money in a wallet: a person has looked up what was paid.',
    by: 'administrator',
  },
  'differing_payment.dismissed': {
    call: 'POST /v1/admin/billing/differing-payments/:id/dismiss',
    what: 'Dismissing a payment that is not the one requested, by the platform',
    why: 'Nothing is credited for it: a person has looked up that the operator has the money again.',
    by: 'administrator',
  },
  'payment_alarm.dismissed': {
    call: 'POST /v1/admin/billing/alarms/:id/dismiss',
    what: 'Dismissing an alarm about money of an operator (`upgrade_not_made`, `subscription_refund_came_back`, `subscription_not_given_back`, `refunds_unread`, `unknown_price`, `payout_reversed_in_part`), by the platform',
    why: 'A person has looked up that the operator has the money or what was paid for, or why the list of refunds cannot be read: nothing moves for them until it is.',
    by: 'administrator',
  },
  'wallet.adjusted': {
    call: 'POST /v1/admin/operators/:id/adjustments',
    what: 'Putting money into a wallet or taking it out, by the platform',
    why: 'What is put in can be spent at a skill and paid out; what is taken out is somebody’s. Many small sums are a large one, so there is no limit below which it is free.',
    by: 'administrator',
  },
} as const satisfies Record<string, GovernedRule>;

/** An act as approvals and the audit trail name it. */
export type GovernedAct = keyof typeof governedActs;

export const ruleOfAct = (act: GovernedAct): GovernedRule => governedActs[act];

/** Checks the name of the act that an approval is about. */
export const isGovernedAct = (action: string): action is GovernedAct => Object.hasOwn(governedActs, action);
