/** Slack, and Slack for the government of the USA. */
const HOSTS: ReadonlySet<string> = new Set(['hooks.slack.com', 'hooks.slack-gov.com']);
/** Workspace, app and token. */
const PATH = /^\/services\/(T[A-Z0-9]+)\/(B[A-Z0-9]+)\/[A-Za-z0-9]{8,64}$/;

/** Whether a URL is one of an incoming webhook. On this machine, where the policy of outbound calls allows it at all, a stand-in may have one too. */
export const isSlackUrl = ({ protocol, host, hostname, port, pathname, search, hash }: URL): boolean =>
  PATH.test(pathname) &&
  search === '' &&
  hash === '' &&
  ((protocol === 'https:' && port === '' && HOSTS.has(host)) || hostname === '127.0.0.1');

/** As lists show it: workspace and app, without the token that lets post. */
export const shownSlackUrl = ({ origin, pathname }: URL): string => {
  const [, workspace, app] = PATH.exec(pathname) ?? [];
  return `${origin}/services/${workspace}/${app}/…`;
};
