import type { Actor } from '../access/actor.ts';
import type { Permission } from '../access/permission.ts';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import { readWorkspaceId } from './fields.ts';
import { type Page, readPage } from './pagination.ts';

/** The page of a list and the workspaces that it covers, by its query. */
export function readWorkspacePage(
  actor: Actor,
  permission: Permission,
  query: URLSearchParams,
): { page: Page; workspaceIds: readonly number[] } | Rejection {
  const page = readPage(query);
  if (isRejection(page)) return page;
  const named = readWorkspaceId(query);
  if (isRejection(named)) return named;
  const workspaceIds = chooseWorkspaces(actor, permission, named);
  return isRejection(workspaceIds) ? workspaceIds : { page, workspaceIds };
}
