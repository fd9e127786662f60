/** A JSON schema of an OpenAPI 3.1 document. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

/** Keywords without effect on validity. */
const ANNOTATIONS = ['description', 'default', 'format', 'title', 'examples'];
const SUPPORTED = new Set([
  ...ANNOTATIONS,
  ...'$ref type const enum anyOf oneOf allOf properties required additionalProperties items maxItems maxLength pattern minimum maximum'.split(
    ' ',
  ),
]);

/** Returns the validation errors of a value. Throws on an unsupported keyword, so that none is skipped silently. */
export function validate(value: unknown, schema: JsonSchema, root: object, path = '$'): string[] {
  for (const keyword of Object.keys(schema)) {
    if (!SUPPORTED.has(keyword)) throw new Error(`Unsupported keyword ${keyword} at ${path}.`);
  }
  if (schema.$ref !== undefined) return validate(value, follow(schema.$ref, root), root, path);
  return [
    ...checkType(value, schema, path),
    ...checkCombinations(value, schema, root, path),
    ...checkScalar(value, schema, path),
    ...(Array.isArray(value) ? checkItems(value, schema, root, path) : []),
    ...(isObject(value) ? checkProperties(value, schema, root, path) : []),
  ];
}

function follow(reference: string, root: object): JsonSchema {
  const target = reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((node, part) => (isObject(node) ? node[part] : undefined), root);
  if (!isObject(target)) throw new Error(`${reference} does not resolve.`);
  return target;
}

function checkType(value: unknown, { type }: JsonSchema, path: string): string[] {
  if (type === undefined) return [];
  const isMatch = [type].flat().some((name) => hasType(value, name));
  return isMatch ? [] : [`${path} is not of type ${String(type)}`];
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function checkCombinations(value: unknown, schema: JsonSchema, root: object, path: string): string[] {
  const isValid = (option: JsonSchema) => validate(value, option, root, path).length === 0;
  return [
    ...(schema.anyOf && !schema.anyOf.some(isValid) ? [`${path} matches none of anyOf`] : []),
    ...(schema.oneOf && schema.oneOf.filter(isValid).length !== 1
      ? [`${path} does not match one of oneOf`]
      : []),
    ...(schema.allOf ?? []).flatMap((option) => validate(value, option, root, path)),
  ];
}

function checkScalar(value: unknown, schema: JsonSchema, path: string): string[] {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, pattern } = schema;
  const isOutside = typeof value === 'number' && (value < minimum || value > maximum);
  const isTooLong =
    typeof value === 'string' && value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY);
  const isMismatch = pattern !== undefined && typeof value === 'string' && !new RegExp(pattern).test(value);
  return [
    ...(schema.enum && !schema.enum.includes(value) ? [`${path} is not in the enum`] : []),
    ...('const' in schema && schema.const !== value ? [`${path} is not ${String(schema.const)}`] : []),
    ...(isOutside ? [`${path} is out of range`] : []),
    ...(isTooLong ? [`${path} is too long`] : []),
    ...(isMismatch ? [`${path} does not match ${pattern}`] : []),
  ];
}

function checkItems(
  value: readonly unknown[],
  { items, maxItems = Number.POSITIVE_INFINITY }: JsonSchema,
  root: object,
  path: string,
): string[] {
  if (value.length > maxItems) return [`${path} has too many items`];
  return items ? value.flatMap((item, index) => validate(item, items, root, `${path}[${index}]`)) : [];
}

function checkProperties(
  value: Record<string, unknown>,
  schema: JsonSchema,
  root: object,
  path: string,
): string[] {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  return [
    ...required.filter((name) => !(name in value)).map((name) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, field]) => {
      const known = properties[name];
      if (known) return validate(field, known, root, `${path}.${name}`);
      if (additionalProperties === false) return [`${path}.${name} is not in the schema`];
      return additionalProperties === true
        ? []
        : validate(field, additionalProperties, root, `${path}.${name}`);
    }),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
