import { ANY_TYPE } from '@affkit/protocol';
import type { JsonSchema } from './document.ts';

/** A field on the documentation page. The name of a nested field is its full path, with `[]` for list items. */
export interface DocumentedField {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string;
}

type NamedSchemas = Readonly<Record<string, JsonSchema>>;

const MAX_FIELD_DEPTH = 6;

/**
 * Lists the fields of a schema, including nested fields. Alternatives are merged. A merged field is required
 * if every alternative requires it.
 */
export function listSchemaFields(
  schema: JsonSchema,
  schemas: NamedSchemas,
  prefix = '',
  depth = 0,
): DocumentedField[] {
  if (depth > MAX_FIELD_DEPTH) return [];
  const resolved = resolve(schema, schemas);
  const variants = resolved.anyOf ?? resolved.oneOf;
  if (variants) return joinVariants(variants.map((one) => listSchemaFields(one, schemas, prefix, depth + 1)));
  const parts = resolved.allOf ?? [];
  const inherited = parts.flatMap((part) => listSchemaFields(part, schemas, prefix, depth + 1));
  if (resolved.items) return listSchemaFields(resolved.items, schemas, `${prefix}[]`, depth + 1);
  const own = Object.entries(resolved.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [
      {
        name: path,
        type: schemaTypeOf(field, schemas),
        isRequired: resolved.required?.includes(name) ?? false,
        text: field.description ?? '',
      },
      ...listSchemaFields(field, schemas, path, depth + 1),
    ];
  });
  return [...inherited, ...own];
}

/** Describes the type of a field, such as `string, 1 to 64 characters`. */
export function schemaTypeOf(schema: JsonSchema, schemas: NamedSchemas): string {
  const resolved = resolve(schema, schemas);
  if (Array.isArray(resolved.type) && resolved.type.length === ANY_TYPE.length) {
    return `${resolved.type[0]}; invalid values count as absent`;
  }
  if ('const' in resolved) return JSON.stringify(resolved.const);
  if (resolved.enum) return resolved.enum.map((value) => JSON.stringify(value)).join(' | ');
  const variants = resolved.anyOf ?? resolved.oneOf;
  if (variants) return [...new Set(variants.map((one) => schemaTypeOf(one, schemas)))].join(' | ');
  if (resolved.items) return `list of ${schemaTypeOf(resolved.items, schemas)}`;
  const named = Array.isArray(resolved.type) ? resolved.type.join(' | ') : resolved.type;
  const type = resolved.format ?? named ?? (resolved.allOf ? 'object' : 'anything');
  return `${type}${schemaLimitsOf(resolved)}`;
}

function schemaLimitsOf({ type, minimum, maximum, minLength, maxLength, ...schema }: JsonSchema): string {
  const [low, high] = type === 'string' ? [minLength, maxLength] : [minimum, maximum];
  const unit = type === 'string' ? ' characters' : '';
  const byDefault = 'default' in schema ? `, default ${JSON.stringify(schema.default)}` : '';
  const exclusive = schema['exclusiveMinimum'] === 0 ? ', above 0' : '';
  if (low !== undefined && high !== undefined) return `, ${low} to ${high}${unit}${byDefault}`;
  if (high !== undefined) return `, at most ${high}${unit}${exclusive}${byDefault}`;
  if (low !== undefined && low > 0) return `, at least ${low}${unit}${byDefault}`;
  return `${exclusive}${byDefault}`;
}

function resolve(schema: JsonSchema, schemas: NamedSchemas): JsonSchema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : (schemas[name] ?? {});
}

function joinVariants(variants: readonly (readonly DocumentedField[])[]): DocumentedField[] {
  const filled = variants.filter((fields) => fields.length > 0);
  const joined = new Map<string, DocumentedField>();
  for (const field of filled.flat()) {
    const before = joined.get(field.name);
    const types = new Set([...(before?.type.split(' | ') ?? []), ...field.type.split(' | ')]);
    const isRequired = filled.every((fields) =>
      fields.some(({ name, isRequired: required }) => name === field.name && required),
    );
    joined.set(field.name, { ...field, type: [...types].join(' | '), isRequired });
  }
  return [...joined.values()];
}
