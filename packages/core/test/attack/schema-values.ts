import fc from 'fast-check';
import type { JsonSchema } from '../../src/http/openapi/document.ts';

/** Values of fields by their name. They take precedence over the schema. */
export type FieldValues = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const MAX_LENGTH = 40;
const MAX_ITEMS = 4;

/** Returns values that match the keywords of a JSON Schema. */
export class SchemaValues {
  readonly #schemas: Readonly<Record<string, JsonSchema>>;
  readonly #fields: FieldValues;

  readonly #isComplete: boolean;

  /** @param isComplete whether objects have all their optional fields */
  constructor(schemas: Readonly<Record<string, JsonSchema>>, fields: FieldValues, isComplete = false) {
    this.#schemas = schemas;
    this.#fields = fields;
    this.#isComplete = isComplete;
  }

  of(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
    const field = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (field) return field;
    if (schema.$ref !== undefined) {
      return this.of(this.#schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {}, name);
    }
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const variants = schema.anyOf ?? schema.oneOf;
    if (variants) return fc.oneof(...variants.map((variant) => this.of(variant, name)));
    if (schema.allOf) {
      const parts = schema.allOf.map((part) => this.of(part) as fc.Arbitrary<object>);
      return fc.tuple(...parts).map((objects): unknown => Object.assign({}, ...objects));
    }
    const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'any'];
    return fc.oneof(...types.map((type) => this.#ofType(type, schema)));
  }

  #ofType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return integerIn(schema);
      case 'number':
        return fc.oneof(
          integerIn(schema),
          fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true }),
        );
      case 'string':
        return textOf(schema);
      case 'array': {
        const items = this.of(schema.items ?? {});
        return fc.array(items, { minLength: schema.minItems ?? 0, maxLength: MAX_ITEMS });
      }
      case 'object':
        return schema.properties
          ? this.#objectOf(schema)
          : fc.dictionary(word, fc.jsonValue({ maxDepth: 1 }));
      default:
        return fc.oneof(word, fc.integer(), fc.boolean());
    }
  }

  #objectOf({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> {
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, this.of(schema, name)]),
    );
    if (this.#isComplete) return fc.record(fields);
    return fc.record(fields, { requiredKeys: required.filter((name) => Object.hasOwn(fields, name)) });
  }
}

/** A word that is a valid name, key, code and slug. */
export const word: fc.Arbitrary<string> = fc.stringMatching(/^[a-z][a-z0-9]{2,11}$/);

function integerIn({ minimum = 1, maximum = 1_000_000_000 }: JsonSchema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100) }),
    fc.integer({ min: minimum, max: Math.min(maximum, Number.MAX_SAFE_INTEGER) }),
    fc.constantFrom(minimum, maximum),
  );
}

function textOf({ format, pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'email') return word.map((name) => `${name}@shop.test`);
  if (format === 'uri') return word.map((name) => `https://${name}.example`);
  if (format === 'date-time')
    return fc.constantFrom('2026-01-10T12:00:00Z', '2026-01-01', '2026-01-15T12:00Z');
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  const max = Math.min(maxLength ?? MAX_LENGTH, Math.max(MAX_LENGTH, minLength));
  return fc.oneof(word, fc.string({ unit: 'grapheme', minLength, maxLength: max })).map(
    // `word` may be shorter than `minLength`.
    (text) => text.padEnd(minLength, 'x'),
  );
}
