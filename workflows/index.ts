/** The bundle's entry: every function exported here is a workflow type of that name. */
export { skillInvocation } from './skill-invocation.ts';
