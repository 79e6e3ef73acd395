/** The environment variables that replace missing options. */
export interface Environment {
  readonly token: string | undefined;
  readonly baseUrl: string | undefined;
  readonly webhookSecret: string | undefined;
}

/** Reads the environment variables. An empty variable counts as unset. */
export function readEnvironment(): Environment {
  return {
    token: readVariable('AFFKIT_TOKEN'),
    baseUrl: readVariable('AFFKIT_BASE_URL'),
    webhookSecret: readVariable('AFFKIT_WEBHOOK_SECRET'),
  };
}

function readVariable(name: string): string | undefined {
  try {
    return globalThis.process?.env[name] || undefined;
  } catch {
    // Deno throws if the program has no permission to read the environment. Workers have no `process`.
    return undefined;
  }
}
