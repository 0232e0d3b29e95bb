export { dashboardPages } from './pages/pages.ts';
export { currentSession } from './sessions.ts';
export { sessionAuthenticator } from './session-authenticator.ts';
