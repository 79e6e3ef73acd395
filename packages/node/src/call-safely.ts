/**
 * Calls a function of the application, and never throws its errors. If the function throws, or its promise rejects,
 * the error is passed to `onError`.
 */
export function callSafely(call: () => unknown, onError: (error: unknown) => void): void {
  // TypeScript also accepts an async function where `void` is expected. An unhandled rejection would end the process.
  new Promise((resolve) => resolve(call())).catch(onError);
}
