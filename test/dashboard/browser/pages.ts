import type { Drawn } from '../../support/visitor.ts';
import type { Scene } from './scene.ts';

/** A page that people open, and what they see first. */
export interface PageToOpen {
  /** As the service names it, with `:id`. */
  path: string;
  /** The address in the scene; absent: the path. */
  at?: (scene: Scene) => string;
  title: RegExp;
  /** Absent: somebody who is signed in. */
  anybody?: true;
  /** Absent: 200. */
  status?: number;
  /** Absent: the page has no script. */
  drawn?: Drawn;
}

/** Every page of the service that is made for people: one line each. A page of the dashboard that has none fails `existing-pages.test.ts`. */
export const pagesToOpen: readonly PageToOpen[] = [
  { path: '/', title: /^Identity, work, money/, anybody: true },
  { path: '/docs', title: /API/, anybody: true, drawn: { in: '#swagger-ui', shows: '.opblock-tag' } },
  { path: '/nowhere', title: /./, anybody: true, status: 404 },
  { path: '/pay/:id', at: ({ checkout }) => checkout, title: /./, anybody: true },
  { path: '/dashboard/sign-in', title: /^Sign in$/, anybody: true },
  { path: '/dashboard/sign-in/code', title: /^Enter the code$/, anybody: true },
  { path: '/dashboard', title: /./ },
  { path: '/dashboard/agents/:id', at: ({ agentId }) => `/dashboard/agents/${agentId}`, title: /^“night-shift/ },
  {
    path: '/dashboard/approvals/:id',
    at: ({ approvalId }) => `/dashboard/approvals/${approvalId}`,
    title: /^Approval$/,
  },
  { path: '/dashboard/keys/:id', at: ({ keyId }) => `/dashboard/keys/${keyId}`, title: /^“reporting/ },
  { path: '/dashboard/mails', title: /^Mails to you$/ },
  { path: '/dashboard/members/:id', at: ({ memberId }) => `/dashboard/members/${memberId}`, title: /^grace/ },
  { path: '/dashboard/operator', title: /./ },
  { path: '/dashboard/reviews/:id', at: ({ reviewId }) => `/dashboard/reviews/${reviewId}`, title: /^Review$/ },
  { path: '/dashboard/sign-out', title: /./ },
];
