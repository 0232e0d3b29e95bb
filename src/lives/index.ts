export { lifeMetrics, troubleOfLives } from './backlog.ts';
export { refuseWhereOverloaded } from './overload.ts';
