import { useManagement } from './management-program.mjs';
import { useSdk } from './sdk-program.mjs';

const PROGRAMS = { sdk: ({ baseUrl }) => useSdk(baseUrl), management: useManagement };

/** Runs one of the test programs and returns its result as JSON. */
export const runProgram = async ({ program, ...input }) => JSON.stringify(await PROGRAMS[program](input));
