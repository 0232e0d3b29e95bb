import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { StartupFault } from '../errors/startup-fault.ts';

/**
 * Listens on every interface.
 * @returns the port, which the system chooses where `port` is 0.
 * @throws StartupFault when the port is taken or not allowed.
 */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new StartupFault(`Port ${port} is in use; stop what listens there, or set PORT to another.`);
    if (code === 'EACCES')
      throw new StartupFault(`Port ${port} may not be opened by this user; set PORT to one above 1023.`);
    throw error;
  }
  return (server.address() as AddressInfo).port;
}
