import { useManagement } from './management-program.mjs';
import { useSdk } from './sdk-program.mjs';

const PROGRAMS = { sdk: ({ baseUrl }) => useSdk(baseUrl), management: useManagement };

/** Runs a program, and returns what it has seen, as JSON. */
export const runProgram = async ({ program, ...input }) => JSON.stringify(await PROGRAMS[program](input));
