/** Whether the host of a URL is this machine, where nobody listens in between. */
export const isLoopback = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
