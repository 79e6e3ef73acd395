/** What this process's Node was started with, as one text. */
export const nodeOptions = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
