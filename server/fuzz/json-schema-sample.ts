import type { Random } from './random.ts';

/** The parts of JSON Schema that the OpenAPI document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly default?: unknown;
}

const DEPTH_MAX = 6;
const TEXTS = ['Hi.', 'Hello there.', 'af_heart', 'en', 's1', 'Ada', '2026-01', 'HH AH0', ''];

/** A value that matches a schema, approximately. Optional properties are present in half of the values. */
export function sampleSchema(
  random: Random,
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  depth = 0,
): unknown {
  const sample = (inner: JsonSchema) => sampleSchema(random, inner, components, depth + 1);
  if (depth > DEPTH_MAX) return null;
  if (schema.$ref) return sample(components[schema.$ref.split('/').at(-1)!] ?? {});
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return sample(random.pick(variants));
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(sample));
  switch (typeof schema.type === 'object' ? random.pick(schema.type) : schema.type) {
    case 'object': {
      const entries = Object.entries(schema.properties ?? {}).filter(
        ([name]) => schema.required?.includes(name) || random.chance(0.5),
      );
      return Object.fromEntries(entries.map(([name, inner]) => [name, sample(inner)]));
    }
    case 'array':
      return Array.from({ length: random.int(3) }, () => sample(schema.items ?? {}));
    case 'integer':
    case 'number':
      return schema.minimum ?? schema.maximum ?? random.pick([0, 1, 5, 100]);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return random.pick(TEXTS).padEnd(schema.minLength ?? 0, 'a');
  }
}
