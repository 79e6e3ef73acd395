const LAST_PROGRAM_KEY = 'affkit-program';

/** Returns the id of the program that was last shown in this browser, or null. */
export function lastProgram(): number | null {
  try {
    const stored = Number(localStorage.getItem(LAST_PROGRAM_KEY));
    return stored > 0 ? stored : null;
  } catch {
    return null;
  }
}

const LAST_STEP_KEY = 'affkit-step';

/** Returns the setup step at which the user left this program, or null. */
export function lastStep(programId: number): string | null {
  try {
    const [id, step] = localStorage.getItem(LAST_STEP_KEY)?.split(' ') ?? [];
    return id === String(programId) ? (step ?? null) : null;
  } catch {
    return null;
  }
}

/** Stores the step. If the browser blocks storage, the setup continues with the first unfinished step. */
export function rememberStep(programId: number, step: string): void {
  try {
    localStorage.setItem(LAST_STEP_KEY, `${programId} ${step}`);
  } catch {}
}

/** Stores the id. If the browser blocks storage, the first program is shown next time. */
export function rememberProgram(id: number): void {
  try {
    localStorage.setItem(LAST_PROGRAM_KEY, String(id));
  } catch {}
}
