import { ANY_TYPE, ID_FIELDS } from '@affkit/protocol';
import type { JsonSchema } from './document.ts';

/**
 * Makes the optional fields of a request body accept the values that count as absent: null and, for an id,
 * the empty string. `withoutAbsent` of the protocol removes such values before a body is validated.
 */
export function acceptAbsentValues(schema: JsonSchema): JsonSchema {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) {
    return { ...schema, [schema.anyOf ? 'anyOf' : 'oneOf']: variants.map(acceptAbsentValues) };
  }
  const { properties, required = [] } = schema;
  if (!properties) return schema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const inner = name === 'additional_data' ? acceptAbsentValues(field) : field;
    return [name, required.includes(name) ? inner : orAbsent(name, inner)] as const;
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

function orAbsent(name: string, field: JsonSchema): JsonSchema {
  const { description, ...value } = field;
  const alternatives = value.anyOf ?? [value];
  const hasNull = alternatives.some(({ type }) => [type].flat().includes('null'));
  if (hasNull && !ID_FIELDS.has(name)) return field;
  if (alternatives.some(acceptsAnything)) return field;
  return {
    ...(description !== undefined && { description }),
    anyOf: [
      ...alternatives,
      ...(ID_FIELDS.has(name) ? [{ const: '' }] : []),
      ...(hasNull ? [] : [{ type: 'null' }]),
    ],
  };
}

function acceptsAnything(schema: JsonSchema): boolean {
  const { type } = schema;
  return Object.keys(schema).length === 0 || (Array.isArray(type) && type.length === ANY_TYPE.length);
}
