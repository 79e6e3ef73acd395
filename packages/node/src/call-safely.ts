/**
 * Calls a function of the application, which must not fail the caller. Passes an error that the function throws, or
 * that its promise rejects with, to `onError`.
 */
export function callSafely(call: () => unknown, onError: (error: unknown) => void): void {
  // TypeScript also accepts an async function where `void` is expected. An unhandled rejection would end the process.
  new Promise((resolve) => resolve(call())).catch(onError);
}
