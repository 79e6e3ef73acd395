const KEY = 'affkit-program';

/** Id of the program that this browser showed last, or null. */
export function lastProgram(): number | null {
  try {
    const stored = Number(localStorage.getItem(KEY));
    return stored > 0 ? stored : null;
  } catch {
    return null;
  }
}

/** Stores the id. A browser that blocks storage shows the first program instead. */
export function rememberProgram(id: number): void {
  try {
    localStorage.setItem(KEY, String(id));
  } catch {}
}
