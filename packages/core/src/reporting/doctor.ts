import { checkOrigin } from '../domain/origin.ts';
import type { Runtime } from '../runtime.ts';
import { listAllPrograms } from '../storage/programs/programs.ts';
import { listWebhookConnections, type WebhookConnection } from '../storage/stripe/processor-connections.ts';

export type { WebhookConnection } from '../storage/stripe/processor-connections.ts';

/** A program whose `allowed_origins` contain the origin of a page. */
export interface ProgramOfPage {
  readonly id: number;
  readonly name: string;
  readonly cookieDomain: string | null;
}

/** Finds the programs that accept events of a page, in any workspace. */
export async function findProgramsOfPage(
  { engine }: Pick<Runtime, 'engine'>,
  origin: string,
): Promise<ProgramOfPage[]> {
  const programs = await listAllPrograms(engine.read);
  return programs
    .filter((program) => checkOrigin(origin, program, undefined) === null)
    .map(({ id, name, cookieDomain }) => ({ id, name, cookieDomain }));
}

/** Lists the connections to payment processors, in any workspace. */
export function findWebhookConnections({ engine }: Pick<Runtime, 'engine'>): Promise<WebhookConnection[]> {
  return listWebhookConnections(engine.read);
}
