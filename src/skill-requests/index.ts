export { purgeSkillRequests } from './purge.ts';
