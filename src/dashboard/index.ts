export { dashboardPages } from './pages/pages.ts';
export { sessionAuthenticator } from './session-authenticator.ts';
