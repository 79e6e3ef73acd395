import { runProgram } from './run-program.mjs';

export default { fetch: async (request) => new Response(await runProgram(await request.json())) };
