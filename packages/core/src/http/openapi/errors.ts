import { ERRORS, type ErrorCode } from '@affkit/protocol';
import { z } from 'zod';
import { type Access, acceptsSession, WRONG_TYPE_MESSAGES } from '../../access/access.ts';
import type { DescribedRoute, RouteDescription } from './description.ts';

const TOKEN_ERROR_CODES: readonly ErrorCode[] = [
  'authorization_missing',
  'token_empty',
  'token_invalid',
  'token_wrong_type',
];
const ANY_SESSION_ERROR_CODES: readonly ErrorCode[] = ['unauthenticated', 'token_wrong_type'];
const SESSION_ERROR_CODES: readonly ErrorCode[] = [...ANY_SESSION_ERROR_CODES, 'password_change_required'];

/** Example messages for the error codes whose message contains a placeholder. */
const EXAMPLE_ERROR_MESSAGES: Partial<Record<ErrorCode, string>> = {
  invalid_field: 'page must be an integer of at least 1',
  lead_already_recorded: 'Customer status cannot be updated to lead. Current status: lead',
  commission_state: 'Commission cannot be approved. Current status: reversed',
  origin_mismatch:
    'Browser sessions work only on pages of https://affkit.your-shop.example. Open that URL. If the service has a different URL, set PUBLIC_URL, or the option publicUrl, to it.',
  payout_in_flight:
    'Payout 1 is being sent by paypal. Wait until its result is known. If the payout becomes unclear, import the result.',
  payout_state: 'Payout cannot be paid. Current status: cancelled',
};

/**
 * Returns all error codes of a route: its own codes, and the codes that its access, body, query, or
 * unexpected exceptions can cause.
 */
export function errorCodesOf(route: DescribedRoute, description: RouteDescription): ErrorCode[] {
  const codes: ErrorCode[] = [...codesOfAccess(route.access), ...(description.errors ?? [])];
  if (route.body !== undefined || route.query !== undefined) codes.push('invalid_field');
  if (acceptsField(route, 'workspace_id')) codes.push('workspace_not_found');
  if (route.access.kind === 'partner' && acceptsField(route, 'partner_id')) codes.push('not_found');
  if (route.method !== 'GET') codes.push('invalid_json', 'body_too_large');
  const takesSession = description.takesSession || acceptsSession(route.access);
  if (route.method !== 'GET' && takesSession) codes.push('origin_mismatch');
  if (route.crossOrigin || route.isRateLimited) codes.push('rate_limited');
  return [...new Set<ErrorCode>([...codes, route.failure ?? 'internal_error', 'unavailable'])];
}

/** Whether the query or the body has a field with this name. */
function acceptsField({ query, body }: DescribedRoute, field: string): boolean {
  return [query, body].some((schema) => schema instanceof z.ZodObject && field in schema.shape);
}

function codesOfAccess(access: Access): readonly ErrorCode[] {
  switch (access.kind) {
    case 'public':
      return [];
    case 'optional_token':
    case 'token':
      return TOKEN_ERROR_CODES;
    case 'session':
      if (access.temporaryPassword) return ANY_SESSION_ERROR_CODES;
      return access.permission === null ? SESSION_ERROR_CODES : [...SESSION_ERROR_CODES, 'forbidden'];
    case 'partner':
      return [...SESSION_ERROR_CODES, 'forbidden'];
    case 'credential':
      return [...SESSION_ERROR_CODES, 'key_rejected', 'forbidden'];
    case 'dashboard':
    case 'program_session':
      return [...SESSION_ERROR_CODES, 'program_not_found', 'forbidden'];
    case 'management_or_partner':
      return [...SESSION_ERROR_CODES, 'key_rejected', 'forbidden', 'program_not_found'];
    case 'management': {
      const codes: ErrorCode[] = [...SESSION_ERROR_CODES, 'key_rejected', 'forbidden'];
      return access.program ? [...codes, 'program_not_found'] : codes;
    }
  }
}

/**
 * An example of an error: its name in the document and its message. Most routes with the same error share one
 * example.
 */
export interface ErrorExample {
  readonly name: string;
  readonly code: ErrorCode;
  readonly message: string;
}

export function errorExampleOf(code: ErrorCode, { access, takesSession }: ErrorRoute): ErrorExample {
  const message = EXAMPLE_ERROR_MESSAGES[code] ?? ERRORS[code].message;
  const accepts = code === 'token_wrong_type' ? acceptedBy(access, takesSession) : undefined;
  return accepts === undefined
    ? { name: code, code, message }
    : { name: `${code}_${accepts}`, code, message: WRONG_TYPE_MESSAGES[accepts] };
}

interface ErrorRoute {
  readonly access: Access;
  readonly takesSession: boolean;
}

function acceptedBy(access: Access, takesSession: boolean): keyof typeof WRONG_TYPE_MESSAGES | undefined {
  switch (access.kind) {
    case 'public':
      return takesSession ? 'session' : undefined;
    case 'optional_token':
    case 'token':
      return undefined;
    case 'session':
    case 'partner':
    case 'dashboard':
    case 'program_session':
      return 'session';
    case 'credential':
    case 'management':
    case 'management_or_partner':
      return 'management';
  }
}

export function errorText({ code, message }: ErrorExample): string {
  return code === 'invalid_field' ? 'The message names the field and its requirement' : message;
}

export function errorBody({ code, message: error }: ErrorExample): Record<string, unknown> {
  const body = { error, code, request_id: 'req_0b9c1a2d-3e4f-4a5b-8c6d-7e8f90a1b2c3' };
  if (code === 'duplicate_transaction') {
    return { ...body, message: error, statusCode: 409, sale_id: 1, commission_id: 1, identical: true };
  }
  if (code !== 'transaction_id_taken') return body;
  return { ...body, message: error, statusCode: 409, hint: ERRORS[code].hint };
}
