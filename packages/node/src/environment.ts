/** Reads the environment variable that supplies a missing option. An empty variable counts as unset. */
export function readVariable(name: string): string | undefined {
  try {
    return globalThis.process?.env[name] || undefined;
  } catch {
    // Deno throws if the program has no permission to read the environment. Workers have no `process`.
    return undefined;
  }
}
