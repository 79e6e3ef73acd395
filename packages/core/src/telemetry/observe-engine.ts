import type { Engine } from '../storage/database/engine/engine.ts';
import type { Tracing } from './tracing.ts';

/**
 * Returns the engine with a span for each write of a traced request or job. The span covers the queue, the transaction,
 * and the commit.
 */
export function observeEngine(engine: Engine, tracing: Tracing): Engine {
  const attributes = { 'db.system.name': engine.dialect === 'sqlite' ? 'sqlite' : 'postgresql' };
  return {
    ...engine,
    write: (...write) =>
      tracing.isActive()
        ? tracing.run('write', { attributes }, () => engine.write(...write))
        : engine.write(...write),
  };
}
