import { createProgramRequest, updateProgramRequest } from '@affkit/protocol';
import type { Actor } from '../access/actor.ts';
import { programScopeOf } from '../access/permission.ts';
import { chooseWorkspace } from '../access/workspace-choice.ts';
import { isoTime } from '../domain/calendar.ts';
import {
  changeProgram,
  createProgram,
  deleteProgram,
  programFields,
  publishProgram,
  regenerateToken,
} from '../management/programs.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { listPrograms, type ProgramAccount } from '../storage/programs/programs.ts';
import { listAnswer } from './pagination.ts';
import { parseBody } from './parse.ts';
import { type Answer, itemAnswer, type Route, route } from './route.ts';
import { readWorkspacePage } from './workspace-page.ts';

const PATH = '/api/advertiser/affiliate-programs';

export const programRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: { kind: 'management', scope: 'program:list', program: false },
    handle: (runtime, { caller, request }) => list(runtime, caller, request.query),
  }),
  route({
    method: 'POST',
    path: PATH,
    access: { kind: 'management', scope: 'program:create', program: false },
    handle: (runtime, { caller, body }) => create(runtime, caller, body),
  }),
  route({
    method: 'GET',
    path: `${PATH}/:id`,
    access: { kind: 'management', scope: 'program:read', program: true },
    handle: async (_runtime, { caller }) => itemAnswer(caller.program, programRow),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:id`,
    nullable: ['cookie_domain'],
    access: { kind: 'management', scope: 'program:update', program: true },
    handle: async (runtime, { caller, body }) => {
      const input = parseBody(updateProgramRequest, body);
      return isRejection(input)
        ? input
        : itemAnswer(await changeProgram(runtime, caller.program, input), programRow);
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:id`,
    access: { kind: 'management', scope: 'program:delete', program: true },
    handle: async (runtime, { caller }) => {
      const deleted = await deleteProgram(runtime, caller.program);
      return isRejection(deleted) ? deleted : { body: { success: true } };
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:id/go-live`,
    access: { kind: 'management', scope: 'program:go_live', program: true },
    handle: async (runtime, { caller }) =>
      itemAnswer(await publishProgram(runtime, caller.program), programRow),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:id/regenerate-api-token`,
    access: { kind: 'management', scope: 'program:regenerate-token', program: true },
    handle: async (runtime, { caller }) => {
      const issued = await regenerateToken(runtime, caller.program);
      if (isRejection(issued)) return issued;
      const { apiToken, program } = issued;
      return {
        body: { success: true, data: { api_token: apiToken, api_token_masked: program.apiTokenMasked } },
      };
    },
  }),
];

async function list(runtime: Runtime, actor: Actor, query: URLSearchParams): Promise<Answer | Rejection> {
  const asked = readWorkspacePage(actor, 'program:list', query);
  if (isRejection(asked)) return asked;
  const { page, workspaceIds } = asked;
  const ids = programScopeOf(actor);
  const { programs, total } = await listPrograms(runtime.engine.read, { workspaceIds, ids }, page);
  return listAnswer(programs.map(programRow), page, total);
}

async function create(
  runtime: Runtime,
  actor: Actor,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer | Rejection> {
  if (programScopeOf(actor) !== null) return new Rejection('forbidden');
  const input = parseBody(createProgramRequest, body);
  if (isRejection(input)) return input;
  const { workspace_id: named, ...settings } = input;
  const workspaceId = chooseWorkspace(actor, 'program:create', named);
  if (isRejection(workspaceId)) return workspaceId;
  const issued = await createProgram(runtime, workspaceId, settings);
  if (isRejection(issued)) return issued;
  const data = { ...programRow(issued.program), api_token: issued.apiToken };
  return { status: 201, body: { success: true, data } };
}

function programRow(program: ProgramAccount) {
  return {
    id: program.id,
    workspace_id: program.workspaceId,
    ...programFields(program),
    created_at: isoTime(program.createdAt),
  };
}
