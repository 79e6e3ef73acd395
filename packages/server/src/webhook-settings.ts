import { z } from 'zod';

/** Parses `WEBHOOK_ALLOW_HOSTS`. Rejects only invalid characters, because core validates each host. */
export const webhookAllowHosts = z.string().transform((text, context): string[] => {
  const hosts = text.split(',').map((host) => host.trim());
  if (hosts.every((host) => /^[a-z0-9.[\]:-]+$/.test(host))) return hosts;
  context.addIssue('must be a comma-separated list of hosts, such as hooks.internal or 10.0.0.5:8080');
  return z.NEVER;
});
