/**
 * Requests are counted, as in production, and no test comes near the most: the settings have no higher ones. Every life has its run, however
 * slow the machine is: the tests look at runs.
 */
export const ampleLimits = {
  RATE_LIMIT_PER_MINUTE: '1000000',
  ANONYMOUS_RATE_LIMIT_PER_MINUTE: '1000000',
  RUN_FOR_EVERY_LIFE: 'true',
};
