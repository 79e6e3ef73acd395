import type { Logger, Runtime } from '../runtime.ts';

type LogFields = Parameters<Logger['error']>[0];

export function withRequestId(runtime: Runtime, requestId: string): Runtime {
  const { log } = runtime;
  const add = (fields: LogFields) => ({ ...fields, request_id: requestId });
  return {
    ...runtime,
    log: {
      info: (fields, message) => log.info(add(fields), message),
      warn: (fields, message) => log.warn(add(fields), message),
      error: (fields, message) => log.error(add(fields), message),
    },
  };
}
