import fc from 'fast-check';
import { sampleCases } from '../support/test-depth.ts';
import { fieldValues, type Scene } from './field-values.ts';
import { ESSENTIAL_VALUES } from './hostile-values.ts';
import { placesOf, set } from './mutations.ts';
import type { Api, Operation } from './operations.ts';
import { type Attack, encodeText, fittingCallers, MAX_INDEX } from './requests.ts';
import { SchemaValues } from './schema-values.ts';

/** Operations that end the session of the caller. */
const ENDS_SESSION = /^(?:POST|DELETE) \/api\/auth\/(?:logout|password|sessions)$/;

/** `npm test` sends only one of every `STEP` requests. */
const STEP = 120;

/**
 * Returns requests that are valid except for one value: each hostile value in each field and query parameter.
 */
export function probes(api: Api, scene: Scene, seed: number): Attack[] {
  const values = new SchemaValues(api.schemas, fieldValues(scene), true);
  let count = 0;
  /** Returns a valid request. Each request has different values, because most ids are accepted only once. */
  const next = (operation: Operation) => {
    count += 1;
    const callers = fittingCallers(operation, scene.own);
    const caller = callers[count % callers.length];
    if (!caller) throw new Error(`No caller fits ${operation.key}`);
    const { body: schema, method } = operation;
    const body = schema && fc.sample(values.of(schema), { seed: seed + count, numRuns: 1 })[0];
    const path = pathAt(operation, (count * 37) % (MAX_INDEX + 1));
    return { attack: { operation, caller, method, path, search: '', headers: {}, body: undefined }, body };
  };
  const creators = api.operations
    .filter(({ key, isWebhook }) => !isWebhook && !ENDS_SESSION.test(key))
    .flatMap((operation) => {
      const places = placesOf(next(operation).body).map((_place, index) => index);
      const fields = places.flatMap((index) =>
        ESSENTIAL_VALUES.map((value) => (): Attack => {
          const { attack, body } = next(operation);
          const all = placesOf(body);
          const place = all[index % Math.max(1, all.length)];
          if (place) set(place.parent, place.key, value);
          const bytes = Buffer.from(JSON.stringify(body));
          return {
            ...attack,
            body: { encoding: 'JSON', bytes, headers: { 'content-type': 'application/json' } },
          };
        }),
      );
      const parameters = Object.keys(operation.query).flatMap((name) =>
        ESSENTIAL_VALUES.map((value) => (): Attack => {
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          return { ...next(operation).attack, search: `?${name}=${encodeText(text)}` };
        }),
      );
      return [...fields, ...parameters];
    });
  // Creates only the requests that are sent, because creating a request takes longer than sending it.
  return sampleCases(creators, STEP).map((create) => create());
}

function pathAt({ path, pathKinds }: Operation, index: number): Attack['path'] {
  const kinds = [...pathKinds];
  return path.split('/').map((part) => {
    const kind = part.startsWith(':') ? kinds.shift() : undefined;
    return kind === undefined ? part : { kind, index };
  });
}
