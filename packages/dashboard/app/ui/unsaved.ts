/** Returns the fields whose values differ from the stored ones. */
export function changedFields<Body extends object>(body: Body, stored: Body): Partial<Body> {
  const before = new Map<string, unknown>(Object.entries(stored));
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before.get(name));
  // The cast is safe, because all entries come from the body.
  return Object.fromEntries(Object.entries(body).filter(isChanged)) as Partial<Body>;
}

/**
 * Returns the changes that are left after a save. Fields that the user has changed again during the save are kept.
 * @param sent the changes when the save began
 */
export function withoutSent<Draft extends object>(
  changes: Partial<Draft>,
  sent: Partial<Draft>,
): Partial<Draft> {
  const saved = new Map<string, unknown>(Object.entries(sent));
  const isUnsaved = ([name, value]: [string, unknown]) => !saved.has(name) || saved.get(name) !== value;
  // The cast is safe, because all entries come from the changes.
  return Object.fromEntries(Object.entries(changes).filter(isUnsaved)) as Partial<Draft>;
}
