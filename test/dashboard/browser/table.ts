import type { Drawn } from '../../support/visitor.ts';
import type { Scene } from './scene.ts';

/** A page that people open, and what they see first. */
export interface PageToOpen {
  /** As the service names it, with `:id`. */
  path: string;
  /** The address in the scene; absent: the path. */
  at?: (scene: Scene) => string;
  title: RegExp;
  /** Absent: the owner of the scene. */
  by?: 'anybody' | 'platform';
  /** Absent: 200. */
  status?: number;
  /** Absent: the page has no script that draws. */
  drawn?: Drawn;
  /** It shows what other tests do meanwhile, so its text is another each time. */
  ofAll?: true;
}

/** Paths that are no page, and why. */
export const noPages: Readonly<Record<string, string>> = {
  '/dashboard/live': 'it is the stream that tells open pages to look again',
};

/** A page whose address ends with an id. */
const each = (place: string, id: (scene: Scene) => string): Pick<PageToOpen, 'path' | 'at'> => ({
  path: `/dashboard/${place}/:id`,
  at: (scene) => `/dashboard/${place}/${id(scene)}`,
});

/** Every page of the service that is made for people: one line each. A page of the dashboard that has none fails `pages.test.ts`. */
export const pagesToOpen: readonly PageToOpen[] = [
  { path: '/', title: /^Identity, work, money/, by: 'anybody' },
  { path: '/docs', title: /API/, by: 'anybody', drawn: { in: '#swagger-ui', shows: '.opblock-tag' } },
  { path: '/nowhere', title: /^There is no such thing here$/, by: 'anybody', status: 404 },
  { path: '/pay/:id', at: ({ checkout }) => checkout, title: /^Checkout$/, by: 'anybody' },
  { path: '/inbox', title: /^Inbox$/, by: 'anybody', ofAll: true },
  { path: '/dashboard/sign-in', title: /^Sign in$/, by: 'anybody' },
  { path: '/dashboard/sign-in/code', title: /^Enter the code$/, by: 'anybody' },
  { path: '/dashboard/register', title: /^Register an operator$/, by: 'anybody' },
  { path: '/dashboard/sign-in/link', title: /^Sign in$/, by: 'anybody', status: 404 },
  { path: '/dashboard/sign-in/demo', title: /^Sign in$/, by: 'anybody', status: 404 },
  { path: '/dashboard/register/code', title: /^Register an operator$/, by: 'anybody' },
  { path: '/dashboard', title: /^operator-/ },
  { path: '/dashboard/sign-out', title: /^operator-/ },
  { path: '/dashboard/switch', title: /^Switch operator$/ },
  { path: '/dashboard/search', title: /^Find$/ },
  { path: '/dashboard/mails', title: /^Mails to you$/ },
  { path: '/dashboard/sessions', title: /^Sessions$/ },
  { path: '/dashboard/agents', title: /^Agents$/ },
  { path: '/dashboard/approvals', title: /^Approvals$/ },
  { path: '/dashboard/reviews', title: /^Reviews$/ },
  { path: '/dashboard/invocations', title: /^Invocations$/ },
  { path: '/dashboard/claims', title: /^Claims$/ },
  { path: '/dashboard/claims/verify', title: /^Verify a claim$/ },
  { path: '/dashboard/log', title: /^Log$/, ofAll: true },
  { path: '/dashboard/events', title: /^Events$/ },
  { path: '/dashboard/inbound', title: /^Inbound$/ },
  { path: '/dashboard/held', title: /^Held$/ },
  { path: '/dashboard/inbound/new', title: /^Make an endpoint$/ },
  { path: '/dashboard/destinations', title: /^Notifications$/ },
  { path: '/dashboard/destinations/new', title: /^Add a destination$/ },
  { path: '/dashboard/rules', title: /^Rules$/ },
  { path: '/dashboard/rules/new', title: /^Make a rule$/ },
  { path: '/dashboard/deliveries', title: /^Deliveries$/ },
  { path: '/dashboard/wallet', title: /^Wallet$/ },
  { path: '/dashboard/transactions', title: /^Transactions$/ },
  { path: '/dashboard/earnings', title: /^Earnings$/ },
  { path: '/dashboard/passports', title: /^Passports$/ },
  { path: '/dashboard/passports/issue', title: /^Issue a passport$/ },
  { path: '/dashboard/passports/verify', title: /^Verify a passport$/ },
  { path: '/dashboard/market', title: /^Market$/, ofAll: true },
  { path: '/dashboard/skills', title: /^Your skills$/ },
  { path: '/dashboard/skills/new', title: /^Publish a skill$/ },
  { path: '/dashboard/requests', title: /^Requests$/, ofAll: true },
  { path: '/dashboard/requests/new', title: /^Post a request$/ },
  { path: '/dashboard/credentials', title: /^Model credentials$/ },
  { path: '/dashboard/operator', title: /^operator-/ },
  { path: '/dashboard/members', title: /^Members$/ },
  { path: '/dashboard/keys', title: /^Keys$/ },
  { path: '/dashboard/partners', title: /^Partners$/ },
  { path: '/dashboard/audit', title: /^Audit$/ },
  { path: '/dashboard/connections', title: /^Connections$/ },
  { path: '/dashboard/grants', title: /^Grants$/ },
  { path: '/dashboard/missions', title: /^Missions$/ },
  { path: '/dashboard/bindings', title: /^Bindings$/ },
  { path: '/dashboard/identity-claims', title: /^Identity claims$/ },
  { path: '/dashboard/erasure', title: /^Erase contents$/ },
  { path: '/dashboard/operators', title: /^Operators$/, by: 'platform', ofAll: true },
  { path: '/dashboard/skill-reviews', title: /^Skill reviews$/, by: 'platform', ofAll: true },
  { path: '/dashboard/cases', title: /^Money to look at$/, by: 'platform', ofAll: true },
  { path: '/dashboard/outbox', title: /^Outbox$/, by: 'platform', ofAll: true },
  { path: '/dashboard/signing-keys', title: /^Signing keys$/, by: 'platform', ofAll: true },
  { ...each('agents', ({ agentId }) => agentId), title: /^“night-shift/ },
  { ...each('approvals', ({ approvalId }) => approvalId), title: /^Approval$/ },
  { ...each('bindings', ({ bindingId }) => bindingId), title: /^bank\.example$/ },
  { ...each('claims', ({ claimId }) => claimId), title: /^Claim$/, ofAll: true },
  { ...each('connections', ({ connectionId }) => connectionId), title: /^service/ },
  { ...each('deliveries', ({ deliveryId }) => deliveryId), title: /^Delivery$/ },
  { ...each('destinations', ({ destinationId }) => destinationId), title: /^reader/ },
  { ...each('events', ({ eventId }) => eventId), title: /^Event$/ },
  { ...each('inbound', ({ endpointId }) => endpointId), title: /^Any webhook$/ },
  { ...each('inbound-events', ({ inboundEventId }) => inboundEventId), title: /^Inbound event$/ },
  { ...each('invocations', ({ invocationId }) => invocationId), title: /^Invocation$/ },
  { ...each('keys', ({ keyId }) => keyId), title: /^“reporting/ },
  { ...each('market', ({ offerId }) => offerId), title: /^translate/, ofAll: true },
  { ...each('members', ({ memberId }) => memberId), title: /^grace/ },
  { ...each('missions', ({ missionId }) => missionId), title: /^Mission$/ },
  { ...each('partners', ({ partnerId }) => partnerId), title: /^“partner/ },
  { ...each('passports', ({ passportId }) => passportId), title: /^Passport$/ },
  { ...each('requests', ({ requestId }) => requestId), title: /^Request$/, ofAll: true },
  { ...each('reviews', ({ reviewId }) => reviewId), title: /^Review$/ },
  { ...each('rules', ({ ruleId }) => ruleId), title: /^Rule$/ },
  { ...each('skills', ({ ownSkillId }) => ownSkillId), title: /^summary/ },
  { ...each('transactions', ({ transactionId }) => transactionId), title: /^Invocation$/ },
  { ...each('try', ({ offerId }) => offerId), title: /^Run translate/ },
  { ...each('adjustments', ({ operatorId }) => operatorId), title: /^Adjust a wallet$/, by: 'platform' },
  { ...each('operators', ({ operatorId }) => operatorId), title: /^operator/, by: 'platform' },
  { path: '/dashboard/parts', title: /^Parts$/ },
  { path: '/dashboard/overseen', title: /^Look up$/, by: 'platform' },
  { ...each('overseen', ({ invocationId }) => invocationId), title: /^Invocation$/, by: 'platform' },
  { ...each('skill-reviews', ({ pendingSkillId }) => pendingSkillId), title: /^skill/, by: 'platform' },
  { ...each('lives', ({ invocationId }) => `invocation:${invocationId}`), title: /^Life$/, by: 'platform' },
];
