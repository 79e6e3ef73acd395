import { type WebhookEndpointHealth, whyEndpointUnreachable } from '@affkit/core';
import { countOf } from '../count-of.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/**
 * Checks the endpoints that receive the webhooks of programs. Reports paused and failing endpoints, and hosts that are
 * not allowed or not reachable. Sends no webhook.
 */
export async function checkWebhookEndpoints(
  endpoints: readonly WebhookEndpointHealth[],
  webhookAllowHosts: readonly string[],
): Promise<Finding[]> {
  const check = 'webhook_endpoints';
  if (endpoints.length === 0) return [ok(check, 'No program has a webhook endpoint.')];
  const findings = await Promise.all(endpoints.map((endpoint) => judgeEndpoint(endpoint, webhookAllowHosts)));
  const faults = findings.filter((finding) => finding !== null);
  const working = endpoints.length - faults.length;
  return working === 0 ? faults : [...faults, ok(check, `${countOf(working, 'endpoint')} without a fault.`)];
}

/** @returns null if the endpoint has no fault */
async function judgeEndpoint(
  { id, programId, url, isPaused, failures, lastFailureAt }: WebhookEndpointHealth,
  webhookAllowHosts: readonly string[],
): Promise<Finding | null> {
  const check = 'webhook_endpoints';
  // The path may contain a secret, so only the host is printed.
  const subject = `Endpoint ${id} of program ${programId} (${new URL(url).host})`;
  if (isPaused) {
    return warning(
      check,
      `${subject} is paused. Its webhooks wait for three days, and are then given up.`,
      'Resume it on the Webhooks page of the dashboard, or delete it.',
    );
  }
  const reason = await whyEndpointUnreachable(url, webhookAllowHosts);
  if (reason !== null) {
    return problem(
      check,
      `${subject} gets no webhooks: ${reason}`,
      'Correct the URL or DNS. For a host in your own network, add it to WEBHOOK_ALLOW_HOSTS.',
    );
  }
  if (failures === 0) return null;
  const since = lastFailureAt === null ? '' : `, the last at ${new Date(lastFailureAt).toISOString()}`;
  return warning(
    check,
    `${subject} is failing: ${countOf(failures, 'attempt')} in a row${since}.`,
    'Read the log of its deliveries on the Webhooks page of the dashboard.',
  );
}
