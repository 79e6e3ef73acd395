import { createProgramRequest, updateProgramRequest, workspacePageQuery } from '@affkit/protocol';
import { programScopeOf } from '../access/permission.ts';
import { chooseWorkspace, chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime } from '../domain/calendar.ts';
import {
  changeProgram,
  createProgram,
  deleteProgram,
  programStateOf,
  publishProgram,
  regenerateToken,
} from '../management/programs.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { readDataSince } from '../reporting/data-since.ts';
import type { Runtime } from '../runtime.ts';
import { listPrograms, type ProgramAccount } from '../storage/programs/programs.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithItem, route } from './route.ts';

const PROGRAMS_PATH = '/api/advertiser/affiliate-programs';

export const programRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PROGRAMS_PATH,
    access: { kind: 'management', scope: 'program:list', program: false },
    query: workspacePageQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, 'program:list', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const selection = { workspaceIds, ids: programScopeOf(caller) };
      const { programs, total } = await listPrograms(runtime.engine.read, selection, rowRangeOf(query));
      const rows = await Promise.all(programs.map((program) => readProgramReply(runtime, program)));
      return replyWithList(rows, query, total);
    },
  }),
  route({
    method: 'POST',
    path: PROGRAMS_PATH,
    access: { kind: 'management', scope: 'program:create', program: false },
    // A key that is limited to some programs must not create new programs.
    authorize: async (_runtime, { caller }) =>
      programScopeOf(caller) === null ? null : new Rejection('forbidden'),
    body: createProgramRequest,
    handle: async (runtime, { caller, body: { workspace_id: requestedId, ...settings } }) => {
      const workspaceId = chooseWorkspace(caller, 'program:create', requestedId);
      if (isRejection(workspaceId)) return workspaceId;
      const issued = await createProgram(runtime, workspaceId, settings);
      // Read nothing after the creation. If the read failed, the token would be lost.
      return replyWithItem(
        issued,
        ({ program, apiToken }) => ({ ...toProgramReply(program, program.createdAt), api_token: apiToken }),
        201,
      );
    },
  }),
  route({
    method: 'GET',
    path: `${PROGRAMS_PATH}/:id`,
    access: { kind: 'management', scope: 'program:read', program: true },
    handle: (runtime, { caller }) => replyWithProgram(runtime, caller.program),
  }),
  route({
    method: 'PUT',
    path: `${PROGRAMS_PATH}/:id`,
    access: { kind: 'management', scope: 'program:update', program: true },
    body: updateProgramRequest,
    handle: async (runtime, { caller, body }) =>
      replyWithProgram(runtime, await changeProgram(runtime, caller.program, body)),
  }),
  route({
    method: 'DELETE',
    path: `${PROGRAMS_PATH}/:id`,
    access: { kind: 'management', scope: 'program:delete', program: true },
    handle: async (runtime, { caller }) => {
      const deleted = await deleteProgram(runtime, caller.program);
      return isRejection(deleted) ? deleted : { body: { success: true } };
    },
  }),
  route({
    method: 'POST',
    path: `${PROGRAMS_PATH}/:id/go-live`,
    access: { kind: 'management', scope: 'program:go_live', program: true },
    handle: async (runtime, { caller }) =>
      replyWithProgram(runtime, await publishProgram(runtime, caller.program)),
  }),
  route({
    method: 'POST',
    path: `${PROGRAMS_PATH}/:id/regenerate-api-token`,
    access: { kind: 'management', scope: 'program:regenerate-token', program: true },
    handle: async (runtime, { caller }) => {
      const issued = await regenerateToken(runtime, caller.program);
      return replyWithItem(issued, ({ apiToken, program }) => ({
        api_token: apiToken,
        api_token_masked: program.apiTokenMasked,
      }));
    },
  }),
];

async function replyWithProgram(runtime: Runtime, program: ProgramAccount | Rejection) {
  return isRejection(program)
    ? program
    : replyWithItem(await readProgramReply(runtime, program), (data) => data);
}

async function readProgramReply(runtime: Runtime, program: ProgramAccount) {
  return toProgramReply(program, await readDataSince(runtime, { programId: program.id }, program.createdAt));
}

function toProgramReply(program: ProgramAccount, dataSince: number) {
  return {
    id: program.id,
    workspace_id: program.workspaceId,
    ...programStateOf(program),
    created_at: isoTime(program.createdAt),
    data_since: isoTime(dataSince),
  };
}
