export { currentSession } from './sessions.ts';
export { sessionAuthenticator } from './session-authenticator.ts';
