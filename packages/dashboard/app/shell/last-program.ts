const LAST_PROGRAM_KEY = 'affkit-program';

/** Id of the program that this browser showed last, or null. */
export function lastProgram(): number | null {
  try {
    const stored = Number(localStorage.getItem(LAST_PROGRAM_KEY));
    return stored > 0 ? stored : null;
  } catch {
    return null;
  }
}

/** Stores the id. A browser that blocks storage shows the first program instead. */
export function rememberProgram(id: number): void {
  try {
    localStorage.setItem(LAST_PROGRAM_KEY, String(id));
  } catch {}
}
