import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { Config } from '../context/config.ts';
import { StartupFault } from '../errors/startup-fault.ts';

/** Where to listen. */
export interface Place extends Pick<Config, 'port' | 'host'> {
  /** The settings that name port and address; `PORT` and `HOST` unless given. */
  settings?: readonly [port: string, host: string];
}

/**
 * Listens on the interface of `host`, on every one where it is undefined.
 * @returns the port, which the system chooses where `port` is 0.
 * @throws StartupFault when the port is taken or not allowed, or the host is none of this machine.
 */
export async function listen(server: Server, { port, host, settings }: Place): Promise<number> {
  const [ofPort, ofHost] = settings ?? ['PORT', 'HOST'];
  server.listen({ port, host });
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new StartupFault(`Port ${port} is in use; stop what listens there, or set ${ofPort} to another.`);
    if (code === 'EACCES')
      throw new StartupFault(`Port ${port} may not be opened by this user; set ${ofPort} to one above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartupFault(
        `This machine has no address ${host}; set ${ofHost} to one that it has, or to 0.0.0.0 for all of them.`,
      );
    throw error;
  }
  return (server.address() as AddressInfo).port;
}
