/** What the environment says, for options that were not given. */
export interface Environment {
  readonly token: string | undefined;
  readonly baseUrl: string | undefined;
  readonly webhookSecret: string | undefined;
}

/** The one place that reads the environment. An empty variable counts as unset. */
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
    // Deno throws where reading the environment isn't permitted; Workers have no `process`.
    return undefined;
  }
}
