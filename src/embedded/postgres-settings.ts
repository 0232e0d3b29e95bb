/**
 * The settings of the embedded Postgres that differ from its defaults. fsync, full_page_writes and synchronous_commit
 * stay on: a commit that was answered is on the disk.
 */
const SETTINGS: Record<string, string> = {
  // One process has pools of 8 (API), 4 (delivery) and 8 (worker) and a listener; a second process and tests fit, too.
  max_connections: '200',
  // Twice the default: the hot tables and indexes of a busy single machine fit. Memory is used only as pages are read.
  shared_buffers: '256MB',
  // Room for a burst of commands without a forced checkpoint, after which every touched page is logged whole again; the
  // default five minutes between checkpoints stay, so that recovery after kill -9 stays short.
  max_wal_size: '2GB',
  // Solid-state disks: reading a page by index costs little more than reading the next one.
  random_page_cost: '1.1',
  // Statements are short; compiling one, or spreading it over the cores that callers need, costs more than it saves.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Rows of messages and idempotency keys live for seconds; with a minute between runs dead ones would pile up.
  autovacuum_naptime: '15s',
  // The log names the constraint that failed, but neither the values of the row (DETAIL) nor the statement.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export function settingArguments(): string[] {
  return Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Sorting and case mapping by code point, from Postgres itself: the same on every machine, regardless of its locales. */
export const INITDB_ARGUMENTS = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--auth=scram-sha-256',
];
