/** A value of the MaxMind DB format. */
type Value = string | number | readonly Value[] | { readonly [key: string]: Value };

/** Encodes a MaxMind DB (format 2.0) that returns the same location for every IPv4 address. */
export function encodeDatabase(location: Value): Buffer {
  const nodeCount = 1;
  // The database has one node, and both of its branches point to the first value of the data section.
  const record = nodeCount + 16;
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 0,
    database_type: 'Test-City',
    description: {},
    ip_version: 4,
    languages: ['en'],
    node_count: nodeCount,
    record_size: 24,
  };
  return Buffer.concat([
    Buffer.from([0, 0, record, 0, 0, record]),
    Buffer.alloc(16),
    encode(location),
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encode(metadata),
  ]);
}

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([Buffer.from([(2 << 5) | value.length]), Buffer.from(value)]);
  if (typeof value === 'number') return Buffer.from([(6 << 5) | 1, value]);
  if (isList(value)) return Buffer.concat([Buffer.from([value.length, 4]), ...value.map(encode)]);
  const entries = Object.entries(value);
  const body = entries.flatMap(([key, entry]) => [encode(key), encode(entry)]);
  return Buffer.concat([Buffer.from([(7 << 5) | entries.length]), ...body]);
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
