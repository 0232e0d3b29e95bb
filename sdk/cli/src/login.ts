import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Carnet } from '../../typescript/src/index.ts';
import { Misuse, type Terminal } from './terminal.ts';

interface Login {
  base_url: string;
  api_key: string;
}

/** An empty variable is one that is not set: by its text the key would be kept where the command was started. */
const given = (variable: string | undefined): string | undefined => (variable === '' ? undefined : variable);

const folderOf = ({ environment: { XDG_CONFIG_HOME: config, HOME: home } }: Terminal): string =>
  join(given(config) ?? join(given(home) ?? homedir(), '.config'), 'carnet');

/** Nobody else on the machine may read it; a file that others could read before is replaced. */
export async function saveLogin(terminal: Terminal, login: Login): Promise<string> {
  const folder = folderOf(terminal);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'credentials.json');
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, JSON.stringify(login), { mode: 0o600, flag: 'wx' });
  await chmod(fresh, 0o600);
  await rename(fresh, file);
  return file;
}

async function savedLogin(terminal: Terminal): Promise<Partial<Login>> {
  const file = join(folderOf(terminal), 'credentials.json');
  const text = await readFile(file, 'utf8').catch(() => '{}');
  try {
    return JSON.parse(text) as Partial<Login>;
  } catch {
    throw new Misuse(`${file} is no JSON; log in again with: carnet login`);
  }
}

/** The environment goes before the file: CARNET_API_KEY, CARNET_BASE_URL. */
export async function clientOf(terminal: Terminal, { anonymous = false } = {}): Promise<Carnet> {
  const { CARNET_API_KEY: key, CARNET_BASE_URL: url } = terminal.environment;
  const saved = await savedLogin(terminal);
  // A saved key is for the service that it was saved with, and goes to no other.
  const apiKey = key ?? (url === undefined || url === saved.base_url ? saved.api_key : undefined);
  const baseUrl = url ?? saved.base_url;
  if (baseUrl === undefined || (apiKey === undefined && !anonymous))
    throw new Misuse('You are not logged in. Run: carnet login, or set CARNET_BASE_URL and CARNET_API_KEY');
  return new Carnet({ baseUrl, apiKey: apiKey ?? '' });
}
