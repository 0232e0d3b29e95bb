/** Requests are counted, as in production, and no test comes near the most: the settings have no higher ones. */
export const ampleLimits = { RATE_LIMIT_PER_MINUTE: '1000000', ANONYMOUS_RATE_LIMIT_PER_MINUTE: '1000000' };
