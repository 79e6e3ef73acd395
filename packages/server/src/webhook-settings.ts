import { isHostEntry } from '@affkit/core';
import { z } from 'zod';

/** Parses `WEBHOOK_ALLOW_HOSTS`. Rejects every host that core would reject. */
export const webhookAllowHosts = z.string().transform((text, context): string[] => {
  const hosts = text.split(',').map((host) => host.trim());
  if (hosts.every(isHostEntry)) return hosts;
  context.addIssue(
    'must be a comma-separated list of hosts in lower case, such as hooks.internal or 10.0.0.5:8080',
  );
  return z.NEVER;
});
