import { runProgram } from './run-program.mjs';

console.log(await runProgram(JSON.parse(process.argv[2])));
