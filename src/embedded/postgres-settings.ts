/**
 * What the embedded Postgres runs with beyond its defaults. fsync, full_page_writes and synchronous_commit stay on: a
 * commit that was answered is on the disk.
 */
const SETTINGS: Record<string, string> = {
  // API 8, delivery 4, worker 8 and a listener are the pools of one process; a second and tests fit beside them.
  max_connections: '100',
  // Twice the default: the hot tables and indexes of a busy single machine fit; pages are taken only when touched.
  shared_buffers: '256MB',
  // Room for a burst of commands without a forced checkpoint, after which every touched page is logged whole again; the
  // default five minutes between checkpoints stay, so that recovery after kill -9 stays short.
  max_wal_size: '2GB',
  // Solid-state disks: a look-up by index costs little more than reading on.
  random_page_cost: '1.1',
  // Statements are short; compiling one, or spreading it over the cores that callers need, costs more than it saves.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Outbox and idempotency rows come and go within seconds; a minute between looks lets them pile up.
  autovacuum_naptime: '15s',
  // The log says which constraint failed, never the row's values (DETAIL) nor the statement.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export const settingArguments = (): string[] =>
  Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Sorting and case mapping by code point, from Postgres itself: the same on every machine, whatever its locales. */
export const INITDB_ARGUMENTS = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--auth=scram-sha-256',
];
