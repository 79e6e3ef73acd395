import { readInteger } from '../check-option.ts';
import { callEndpoint, programRequired } from './call.ts';
import type { Endpoint, Resources } from './endpoint.ts';
import { type ManagementOptions, type ManagementSettings, readManagementOptions } from './options.ts';
import { PROGRAM_ROUTES } from './program-routes.ts';
import { WORKSPACE_ROUTES } from './workspace-routes.ts';

/** The resources of one program. */
export type ProgramResources = Resources<typeof PROGRAM_ROUTES, true>;

/** The resources of the workspaces that the key covers. */
export type WorkspaceResources = Resources<typeof WORKSPACE_ROUTES, false>;

/** The client that {@link AffkitManagement} creates. */
export interface AffkitManagement extends WorkspaceResources, ProgramResources {
  /** Returns the resources of the given program, whatever the option `programId` of the client is. */
  program(programId: number): ProgramResources;
  /** The URL and the program of the client. Contains no secret. */
  toJSON(): { readonly baseUrl: string; readonly programId: number | undefined };
}

/**
 * A client of the management API: programs, partners, links, commissions, payouts and reports.
 *
 * Methods return the data of the reply. If a call fails, they reject with an `AffkitError`. Like `Affkit`, the
 * client retries temporary failures, but only if it is safe to repeat the call. Most calls that create something
 * are not retried.
 *
 * @throws AffkitConfigurationError if an option, or the environment variable that replaces it, is missing or
 * invalid
 *
 * @example
 * ```ts
 * const client = new AffkitManagement({ programId: 1 }); // reads AFFKIT_API_KEY and AFFKIT_BASE_URL
 *
 * const partner = await client.partners.create({ name: 'Anna', email: 'anna@blog.example' });
 * for await (const payout of client.payouts.list({ status: 'pending', partner_id: partner.id })) {
 *   await client.payouts.markPaid(payout.id, { reference: 'SEPA 2026-01' });
 * }
 * ```
 */
export const AffkitManagement: new (options?: ManagementOptions) => AffkitManagement = class {
  constructor(options: ManagementOptions = {}) {
    const settings = readManagementOptions(options);
    const { baseUrl, programId } = settings;
    const client: AffkitManagement = {
      ...(bind(WORKSPACE_ROUTES, settings, 'in_arguments') as WorkspaceResources),
      ...programResources(settings, programId),
      program: (id) => programResources(settings, readInteger('programId', id, 1)),
      toJSON: () => ({ baseUrl, programId }),
    };
    Object.assign(this, client);
  }
} as unknown as new (
  options?: ManagementOptions,
) => AffkitManagement;

function programResources(settings: ManagementSettings, programId: number | undefined): ProgramResources {
  return bind(PROGRAM_ROUTES, settings, programId) as ProgramResources;
}

type Table = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;

/** Creates the methods of a table of routes. The types of the methods follow from the same table. */
function bind(
  table: Table,
  settings: ManagementSettings,
  programId: number | 'in_arguments' | undefined,
): unknown {
  const entries = Object.entries(table).map(([resource, endpoints]) => {
    const methods = Object.entries(endpoints).map(([name, endpoint]) => {
      const operation = `${resource}.${name}`;
      const call = (...args: readonly unknown[]) => {
        if (programId === undefined) throw programRequired(operation);
        return callEndpoint(
          operation,
          endpoint,
          settings,
          programId === 'in_arguments' ? args : [programId, ...args],
        );
      };
      const callAsync = async (...args: readonly unknown[]) => call(...args);
      return [name, endpoint.kind === 'list' ? call : callAsync] as const;
    });
    return [resource, Object.fromEntries(methods)] as const;
  });
  return Object.fromEntries(entries);
}
